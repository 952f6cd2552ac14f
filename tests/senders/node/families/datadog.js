// pino's transport for Datadog, which is built upon the official client. It cannot name a dataset, so that its address is
// that of an endpoint.
import { once } from 'node:events';
import { createRequire } from 'node:module';
import pino from 'pino';

const require = createRequire(import.meta.url);
const { default: pinoDatadog } = require('pino-datadog-transport');
const { BaseServerConfiguration } = require('@datadog/datadog-api-client/dist/packages/datadog-api-client-common/servers.js');

export default [
  async function pinoToDatadog({ places, numbers }) {
    const failures = [];
    const stream = pinoDatadog({
      ddClientConf: {
        authMethods: { apiKeyAuth: 'none' },
        baseServer: new BaseServerConfiguration(places.datadog, {}),
      },
      ddsource: 'nodejs',
      ddtags: 'env:test,shelf:top',
      service: 'shop',
      sendImmediate: true,
      onError: (error) => failures.push(error),
    });
    const logger = pino({ messageKey: 'text' }, stream);
    for (const n of numbers) logger.warn(`message ${n}`);
    const closed = once(stream, 'close');
    stream.end();
    await closed;
    if (failures.length > 0) throw failures[0];
  },
];
