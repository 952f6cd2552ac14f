// Senders that do not speak HTTP: winston's transport for syslog over UDP and TCP, and gelf-pro over both.
// Datagrams are so few that the system does not drop any before it is read.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import winston from 'winston';
import { Syslog } from 'winston-syslog';

const require = createRequire(import.meta.url);
const host = '127.0.0.1';
const FEW = 50;

function syslogLogger(protocol, port) {
  const transport = new Syslog({ host, port, protocol, type: '5424', appName: protocol, eol: '\n' });
  const logger = winston.createLogger({
    levels: winston.config.syslog.levels,
    format: winston.format.printf(({ message }) => message),
    transports: [transport],
  });
  return { transport, logger };
}

// What is logged before the socket is open is never counted as sent, and would be waited for in vain.
async function syslogUdp({ places, numbers: [first, ...others] }) {
  const { transport, logger } = syslogLogger('udp4', places['syslog-udp']);
  logger.warning(`message ${first}`);
  await once(transport.socket, 'listening');
  for (const n of others.slice(0, FEW - 1)) logger.warning(`message ${n}`);
  while (transport.inFlight > 1) await setImmediate();
  transport.socket.close();
}

// It connects again whenever a connection ends, also after it was closed.
async function syslogTcp({ places, numbers }) {
  const { transport, logger } = syslogLogger('tcp4', places['syslog-tcp']);
  for (const n of numbers) logger.warning(`message ${n}`);
  const closed = once(transport, 'closed');
  transport.socket.removeAllListeners('close');
  transport.close();
  await closed;
}

// It keeps one adapter for a process, so that each way has a copy of its own. Every message is so long that it has chunks.
async function gelf(adapterName, port, numbers) {
  for (const path of Object.keys(require.cache)) if (path.includes('gelf-pro')) delete require.cache[path];
  const logger = require('gelf-pro');
  logger.setConfig({ adapterName, adapterOptions: { host, port, protocol: 'udp4' }, fields: { facility: adapterName } });
  for (const n of numbers) {
    const filler = randomBytes(2000).toString('base64');
    await new Promise((resolve, reject) => {
      logger.warning(`message ${n}`, { filler }, (error) => (error ? reject(error) : resolve()));
    });
  }
}

export default [
  syslogUdp,
  syslogTcp,
  function gelfUdp({ places, numbers }) {
    return gelf('udp', places['gelf-udp'], numbers.slice(0, FEW));
  },
  function gelfTcp({ places, numbers }) {
    return gelf('tcp', places['gelf-tcp'], numbers.slice(0, FEW));
  },
];
