import type { MailKind } from '#server/mail/job.ts';
import { OFFICE_EMAIL } from './product.ts';
import type { Visit } from './visitors.ts';

/** A mail that a registration is to bring about. */
export interface OwedMail {
  kind: MailKind;
  paymentIntentId: string;
  recipient: string;
  /** It was overtaken by the payment: whether it is recorded is nobody's business any more. */
  overtaken?: true;
}

/**
 * What the registrations owe: confirmations and notices; of those who paid the welcomes and other notices, beside the
 * first ones that arrived before the payment made them untrue.
 */
export function owedBy(visits: readonly Visit[], arrived: ReadonlySet<string>): OwedMail[] {
  return visits.flatMap(({ paymentIntentId, paid, visitor: { email } }) => {
    const mails = (toHer: MailKind, toOffice: MailKind): OwedMail[] => [
      { kind: toHer, paymentIntentId, recipient: email },
      { kind: toOffice, paymentIntentId, recipient: OFFICE_EMAIL },
    ];
    const begun = mails('registration-received', 'office-notice');
    if (!paid) return begun;
    const overtaken = begun.filter((mail) => arrived.has(nameOf(mail)));
    return [
      ...overtaken.map((mail) => ({ ...mail, overtaken: true as const })),
      ...mails('welcome', 'office-paid'),
    ];
  });
}

/** The names of the mails that a mail server took. */
export function namesOf(mails: readonly { messageId: string }[]): ReadonlySet<string> {
  return new Set(mails.map(({ messageId }) => namedBy(messageId)));
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
