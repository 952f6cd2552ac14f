// The library of CloudEvents, in both modes. Each event is sent twice and stored once.
import { CloudEvent, Mode, emitterFor, httpTransport } from 'cloudevents';

export default [
  async function cloudevents({ places, numbers }) {
    const send = httpTransport(`${places.cloudevents}/cloudevents`);
    const emitters = [Mode.BINARY, Mode.STRUCTURED].map((mode) => emitterFor(send, { mode }));
    for (const n of numbers.slice(0, 20)) {
      const event = new CloudEvent({ id: `${n}`, source: '/shop', type: 'order.placed', data: { message: `message ${n}` } });
      for (let i = 0; i < 2; i++) await emitters[n % 2](event);
    }
  },
];
