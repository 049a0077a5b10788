import type { MailKind } from '#server/mail/job.ts';
import { OFFICE_EMAIL } from './product.ts';
import type { Visit } from './visitors.ts';

/** A mail that a registration is to bring about. */
export interface OwedMail {
  kind: MailKind;
  paymentIntentId: string;
  recipient: string;
}

/** What the registrations owe: their confirmations and notices, and the welcomes of those who paid. */
export function owedBy(visits: readonly Visit[]): OwedMail[] {
  return visits.flatMap(({ paymentIntentId, paid, visitor: { email } }) => {
    const mails: OwedMail[] = [
      { kind: 'registration-received', paymentIntentId, recipient: email },
      { kind: 'office-notice', paymentIntentId, recipient: OFFICE_EMAIL },
    ];
    return paid ? [...mails, { kind: 'welcome', paymentIntentId, recipient: email }] : mails;
  });
}

/** Names a mail's kind and registration. */
export function nameOf({ kind, paymentIntentId }: Pick<OwedMail, 'kind' | 'paymentIntentId'>): string {
  return `${kind} of ${paymentIntentId}`;
}

/** Which mail a Message-ID names; the ID itself when it names none. */
export function namedBy(messageId: string): string {
  const [, kind, payment] = /^<([a-z-]+)-(pi_\w+)-\w+@retreat\.example>$/.exec(messageId) ?? [];
  return kind && payment ? `${kind} of ${payment}` : messageId;
}
