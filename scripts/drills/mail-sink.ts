import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

// A side process: a mail server that accepts every mail and discards it.
const server = new SMTPServer({
  authOptional: true,
  hideSTARTTLS: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, _session, callback) {
    stream.on('end', () => callback());
    stream.resume();
  },
});
const listening = server.listen(0, '127.0.0.1');
await once(listening, 'listening');
const { port } = listening.address() as AddressInfo;
process.on('disconnect', () => process.exit());
process.send?.({ url: `smtp://127.0.0.1:${port}` });
