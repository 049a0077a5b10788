import { EventEmitter, once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import { findFreePort } from '#scripts/product/ports.ts';

/** A mail server that accepts every mail, and keeps only to whom it went. */
export interface MailSink {
  url: string;
  recipients: readonly string[];
  /** Waits until an address has been sent a mail. */
  reached(address: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Starts a mail sink on a free port. */
export async function startMailSink(): Promise<MailSink> {
  const recipients: string[] = [];
  const events = new EventEmitter();
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, callback) {
      stream.resume().on('end', () => {
        recipients.push(...envelope.rcptTo.map(({ address }) => address));
        callback();
        events.emit('mail');
      });
    },
  });
  // The worker may hang up at any moment.
  server.on('error', () => {});
  const port = await findFreePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    url: `smtp://127.0.0.1:${port}`,
    recipients,
    async reached(address, signal) {
      while (!recipients.includes(address)) await once(events, 'mail', { signal });
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
