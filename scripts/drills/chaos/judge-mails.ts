import { sampleOffice } from '#scripts/product/environment.ts';
import type { MailKind } from '#server/mail/job.ts';
import type { Happened } from './faults.ts';
import type { FaultKind } from './plan-faults.ts';
import type { AcceptedMail } from './smtp-sink.ts';
import type { Visit } from './visits.ts';

/** A mail that a registration must cause. */
export interface OwedMail {
  kind: MailKind;
  paymentIntentId: string;
  recipient: string;
  /** It was overtaken by the payment: it need not be recorded as sent any more. */
  overtaken?: true;
}

/**
 * The mails that registrations must cause. Unpaid ones: a confirmation to her and a notice to the office.
 * Paid ones: a welcome and another notice, and those of the first two that arrived before the payment made
 * them untrue.
 */
export function owedBy(visits: readonly Visit[], arrived: ReadonlySet<string>): OwedMail[] {
  return visits.flatMap(({ paymentIntentId, paid, visitor: { email } }) => {
    const mails = (toHer: MailKind, toOffice: MailKind): OwedMail[] => [
      { kind: toHer, paymentIntentId, recipient: email },
      { kind: toOffice, paymentIntentId, recipient: sampleOffice.OFFICE_EMAIL },
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

/** The names of the mails that a mail server accepted. */
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

/** A mail without its text. */
export type TakenMail = Pick<AcceptedMail, 'messageId' | 'recipients' | 'atMs' | 'cut'>;

/** What happened to the mails. */
export interface MailCount {
  expected: number;
  received: number;
  lost: number;
  /** Accepted again with the same Message-ID. */
  repeated: number;
  /** The most copies that came of one mail. */
  mostCopies: number;
  problems: string[];
}

/** Compares the mails that the mail server accepted with those that registrations must cause. */
export function checkMails(
  owed: readonly OwedMail[],
  mails: readonly TakenMail[],
  circumstances: Circumstances,
): MailCount {
  const taken = byName(mails);
  const problems: string[] = [];
  let [received, repeated, mostCopies] = [0, 0, 0];
  for (const mail of owed) {
    const copies = taken.get(nameOf(mail)) ?? [];
    taken.delete(nameOf(mail));
    if (copies.length === 0) problems.push(`${nameOf(mail)} is lost`);
    else received += 1;
    repeated += Math.max(0, copies.length - 1);
    mostCopies = Math.max(mostCopies, copies.length);
    problems.push(...checkCopies(mail, copies, circumstances));
  }
  for (const [name, copies] of taken) problems.push(`${copies.length} × ${name} was not expected`);
  return { expected: owed.length, received, lost: owed.length - received, repeated, mostCopies, problems };
}

function byName(mails: readonly TakenMail[]): Map<string, TakenMail[]> {
  const taken = new Map<string, TakenMail[]>();
  for (const mail of mails) {
    const name = namedBy(mail.messageId);
    taken.set(name, [...(taken.get(name) ?? []), mail]);
  }
  return taken;
}

function checkCopies(mail: OwedMail, copies: readonly TakenMail[], circumstances: Circumstances): string[] {
  const problems: string[] = [];
  const ids = new Set(copies.map(({ messageId }) => messageId));
  if (ids.size > 1) problems.push(`${nameOf(mail)} came under ${ids.size} Message-IDs`);
  for (const copy of copies) {
    if (copy.recipients.join() !== mail.recipient) problems.push(`${nameOf(mail)} went to somebody else`);
  }
  for (const copy of copies.slice(0, -1)) {
    if (!mayRepeat(copy, circumstances))
      problems.push(`${nameOf(mail)} was repeated without a crash or a cut`);
  }
  return problems;
}

/** The events that may explain a repetition. */
export interface Circumstances {
  faults: readonly Happened[];
  /**
   * Jobs that the worker could not record as sent, because its lock on them was lost in Redis or had expired.
   */
  lostLocks: ReadonlySet<string>;
}

const REDIS_FAULTS: readonly FaultKind[] = ['redis-killed', 'redis-forgets', 'redis-frozen'];

/** Besides a cut, the faults that may prevent that a mail is recorded after the mail server's OK. */
const REPEATING: readonly FaultKind[] = [...REDIS_FAULTS, 'worker-killed', 'smtp-refused'];

/**
 * A fault may have prevented the record of a mail if it began at most `RECORD_MS` after the mail was
 * accepted, or ended at most `RECONNECT_MS` before.
 */
const RECORD_MS = 1_500;
const RECONNECT_MS = 3_000;

/**
 * How long a mail may have been in flight when its lock was lost: the worker's timeout for a server, plus a
 * margin.
 */
const IN_FLIGHT_MS = 30_000;

/**
 * Whether an accepted mail had to be sent again, because the worker could not learn or not record that it was
 * accepted.
 */
export function mayRepeat(mail: TakenMail, { faults, lostLocks }: Circumstances): boolean {
  if (mail.cut || near(mail, REPEATING, faults, RECONNECT_MS)) return true;
  return lostLocks.has(jobIdOf(mail)) && near(mail, REDIS_FAULTS, faults, IN_FLIGHT_MS);
}

/** The jobs whose locks were lost, according to the worker's log. */
export function lostLocksIn(lines: readonly string[]): Set<string> {
  return new Set(
    lines.flatMap((line) => {
      const [, jobId] = /Missing (?:lock|key) for job ([\w-]+)\. moveToFinished/.exec(line) ?? [];
      return jobId ? [jobId] : [];
    }),
  );
}

function near(
  { atMs }: TakenMail,
  kinds: readonly FaultKind[],
  faults: readonly Happened[],
  aftermathMs: number,
): boolean {
  return faults.some(
    ({ kind, fromMs, untilMs }) =>
      kinds.includes(kind) && fromMs <= atMs + RECORD_MS && atMs <= untilMs + aftermathMs,
  );
}

/** A Message-ID is its job's id at a domain. */
export function jobIdOf({ messageId }: Pick<TakenMail, 'messageId'>): string {
  return messageId.slice(1, messageId.indexOf('@'));
}
