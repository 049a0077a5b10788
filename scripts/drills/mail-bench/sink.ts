import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';

// A process of its own: it takes mails, forgets them, tells its parent where it listens, and ends with it.
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
process.on('disconnect', () => process.exit());
process.send?.(listening.address());
