import { EventEmitter, once } from 'node:events';
import type { TestContext } from 'node:test';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { cleanUp } from './clean-up.ts';

/** A refusal as an SMTP server gives it. */
export interface SmtpRefusal {
  responseCode: number;
  message: string;
}

/** A real SMTP server for one test. */
export interface TestMailServer {
  url: string;
  mails: readonly Email[];
  /** The next mail that arrives. */
  nextMail(): Promise<Email>;
  /** What it answers to every recipient from now on; undefined takes them again. */
  refuse(refusal: SmtpRefusal | undefined): void;
  /** What it answers to every session from now on. */
  refuseSession(refusal: SmtpRefusal): void;
}

/** Starts a mail server that keeps and parses what it is sent. */
export async function startMailServer(t: TestContext): Promise<TestMailServer> {
  const mails: Email[] = [];
  const events = new EventEmitter();
  let refusal: SmtpRefusal | undefined;
  let sessionRefusal: SmtpRefusal | undefined;
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    disabledCommands: ['STARTTLS'],
    onConnect: (_session, callback) => callback(sessionRefusal && refused(sessionRefusal)),
    onRcptTo(_address, _session, callback) {
      if (!refusal) return callback();
      callback(refused(refusal));
    },
    async onData(stream, _session, callback) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const mail = await PostalMime.parse(Buffer.concat(chunks));
      mails.push(mail);
      callback();
      events.emit('mail', mail);
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  cleanUp(t, () => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('The mail server has no port');
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    async nextMail() {
      const [mail] = await once(events, 'mail');
      return mail;
    },
    refuse(next) {
      refusal = next;
    },
    refuseSession(next) {
      sessionRefusal = next;
    },
  };
}

function refused({ message, responseCode }: SmtpRefusal): Error {
  return Object.assign(new Error(message), { responseCode });
}
