import { EventEmitter, once } from 'node:events';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { cleanUp, type TestScope } from './clean-up.ts';

/** A refusal as an SMTP server gives it. */
export interface SmtpRefusal {
  responseCode: number;
  message: string;
}

/** There is no such mailbox: the mail is not retried. */
export const REFUSED_FOR_GOOD: SmtpRefusal = { responseCode: 550, message: 'No such mailbox' };

/** A real SMTP server for one test. */
export interface TestMailServer {
  url: string;
  mails: readonly Email[];
  /** The next mail that arrives. */
  nextMail(): Promise<Email>;
  /** Refuses every recipient from now on, or only some; undefined accepts all again. */
  refuse(refusal: SmtpRefusal | undefined, isRefused?: (address: string) => boolean): void;
  /** Delays the answer to the next recipient until it is released. */
  hold(): { reached: Promise<void>; release: () => void };
  /** Refuses every session from now on. */
  refuseSession(refusal: SmtpRefusal): void;
}

/** Starts a mail server that parses and keeps the mails it receives, until the test is over. */
export async function startMailServer(t: TestScope): Promise<TestMailServer> {
  const { close, ...mailServer } = await openMailServer();
  cleanUp(t, close);
  return mailServer;
}

/** The same, but open until `close` is called. */
export async function openMailServer(): Promise<TestMailServer & { close(): Promise<void> }> {
  const mails: Email[] = [];
  const events = new EventEmitter();
  const holds: { reach: () => void; released: Promise<void> }[] = [];
  let refusal: SmtpRefusal | undefined;
  let isRefused = (_address: string): boolean => true;
  let sessionRefusal: SmtpRefusal | undefined;
  const receive = async (stream: AsyncIterable<Buffer>): Promise<Email> => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const mail = await PostalMime.parse(Buffer.concat(chunks));
    mails.push(mail);
    return mail;
  };
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    disabledCommands: ['STARTTLS'],
    onConnect: (_session, callback) => callback(sessionRefusal && refused(sessionRefusal)),
    async onRcptTo({ address }, _session, callback) {
      const hold = holds.shift();
      hold?.reach();
      await hold?.released;
      callback(refusal && isRefused(address) ? refused(refusal) : undefined);
    },
    onData(stream, _session, callback) {
      receive(stream).then(
        (mail) => {
          callback();
          events.emit('mail', mail);
        },
        // The client hung up.
        (error: Error) => callback(error),
      );
    },
  });
  server.on('error', () => {
    // A client may hang up at any moment.
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('The mail server has no port');
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    async nextMail() {
      const [mail] = await once(events, 'mail');
      return mail;
    },
    refuse(next, isNextRefused = () => true) {
      refusal = next;
      isRefused = isNextRefused;
    },
    hold() {
      const [reached, reach] = signal();
      const [released, release] = signal();
      holds.push({ reach, released });
      return { reached, release };
    },
    refuseSession(next) {
      sessionRefusal = next;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function refused({ message, responseCode }: SmtpRefusal): Error {
  return Object.assign(new Error(message), { responseCode });
}

/** A promise, and the function that fulfils it. */
function signal(): [Promise<void>, () => void] {
  let fulfil = (): void => {};
  const promise = new Promise<void>((resolve) => {
    fulfil = resolve;
  });
  return [promise, fulfil];
}
