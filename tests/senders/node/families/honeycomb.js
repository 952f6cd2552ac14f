// Honeycomb's library, which tells of each event what became of it.
import Libhoney from 'libhoney';

export default [
  async function honeycomb({ url, token, numbers }) {
    const answers = [];
    const client = new Libhoney({
      writeKey: token,
      dataset: 'node-honeycomb',
      apiHost: url,
      responseCallback: (queue) => answers.push(...queue),
    });
    for (const n of numbers) client.newEvent().add({ message: `message ${n}` }).send();
    await client.flush();
    const refused = answers.find((answer) => answer.status_code !== 202);
    if (refused || answers.length !== numbers.length) throw new Error(`${answers.length} answers, ${JSON.stringify(refused)}`);
  },
];
