import type { Email } from 'postal-mime';
import { type MailServer, type SmtpRefusal, startMailServer as start } from '#scripts/product/mail-server.ts';
import { cleanUp, type TestScope } from './clean-up.ts';

export type { SmtpRefusal } from '#scripts/product/mail-server.ts';

/** There is no such mailbox: the mail is not retried. */
export const REFUSED_FOR_GOOD: SmtpRefusal = { responseCode: 550, message: 'No such mailbox' };

/** A real SMTP server for one test, which parses and keeps the mails that it receives. */
export interface TestMailServer
  extends Pick<MailServer, 'url' | 'nextMail' | 'refuse' | 'hold' | 'refuseSession'> {
  mails: readonly Email[];
}

/** Starts a mail server until the test is over. */
export async function startMailServer(t: TestScope): Promise<TestMailServer> {
  const { close, ...mailServer } = await openMailServer();
  cleanUp(t, close);
  return mailServer;
}

/** The same, but open until `close` is called. */
export async function openMailServer(): Promise<TestMailServer & { close(): Promise<void> }> {
  const server = await start();
  return {
    url: server.url,
    mails: server.parsed,
    nextMail: () => server.nextMail(),
    refuse: (refusal, isRefused) => server.refuse(refusal, isRefused),
    hold: () => server.hold(),
    refuseSession: (refusal) => server.refuseSession(refusal),
    close: () => server.close(),
  };
}
