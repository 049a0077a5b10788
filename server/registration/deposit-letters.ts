import {
  type DepositMailKind,
  type DepositState,
  isDepositMail,
  MAIL_KINDS,
  type MailOf,
  mailRules,
} from '#server/mail/job.ts';
import type { Deposited } from '#server/mail/job-facts.ts';
import { type EndedLetter, endOf } from '#server/mail/letter-log.ts';
import { isUndeliverable } from './bounces.ts';
import type { Letters, RegistrationRecord } from './registration-record.ts';

type DepositMail = MailOf<DepositMailKind>;
const DEPOSIT_KINDS = MAIL_KINDS.filter(isDepositMail);

/** The letters that are due: true now, neither sent nor dismissed. None while they wait for the payment. */
export function lettersOwed(record: RegistrationRecord): DepositMail[] {
  return isWaiting(record) ? [] : lettersDue(record);
}

/** Whether no letter about a registration goes out before it is paid: there were too many to such addresses. */
function isWaiting(record: RegistrationRecord): boolean {
  return record.letterWaits && letterFactsOf(record)?.state === 'unpaid';
}

/**
 * The status of the letters of a registration; of the later ones that are not sent, none. What was sent to who had the
 * place before is left out.
 */
export function lettersOf(record: RegistrationRecord): Letters {
  const { handedOver, endedLetters } = record;
  const ended = endedLetters.filter(({ at }) => !handedOver || at >= handedOver.at);
  const status = isWaiting(record) ? 'waits' : 'owed';
  const owed = lettersDue(record).map(({ kind }) => [kind, status]);
  // `owed` overrides `sent`: a letter that was sent may be owed again, to another address.
  return Object.fromEntries([...ended.map(({ kind, state }) => [kind, state]), ...owed]);
}

/** The mails due after a deposit was paid; undefined when its registrant cannot be read. */
export function lettersOfPayment(record: RegistrationRecord): DepositMail[] | undefined {
  if (letterFactsOf(record)?.state !== 'paid') return undefined;
  return lettersDue(record).filter(({ kind }) => mailRules[kind].owed === 'once paid');
}

/** A letter is not due at an address that bounces. */
function lettersDue(record: RegistrationRecord): DepositMail[] {
  const { endedLetters, bounced, bouncedBefore } = record;
  const facts = letterFactsOf(record);
  return DEPOSIT_KINDS.flatMap((kind) => {
    const letter = facts && letterIn(kind, facts);
    if (!letter || isEnded(letter, endedLetters)) return [];
    return isUndeliverable(letter, [bounced, bouncedBefore]) ? [] : [letter];
  });
}

/**
 * Whether a mail was sent or dismissed. The office is notified of a registration and its payment once each.
 */
export function isEnded(letter: DepositMail, ended: readonly EndedLetter[]): boolean {
  return endOf(letter, ended) !== undefined;
}

/**
 * The mail of a kind with a deposit's current facts, sent or not; undefined when its condition does not hold.
 */
export function depositLetterNow(kind: DepositMailKind, record: RegistrationRecord): DepositMail | undefined {
  const facts = letterFactsOf(record);
  return facts && letterIn(kind, facts);
}

interface Rule {
  appliesWhile: readonly DepositState[];
  ofPayer?: true;
  says: object;
}
const rules: Readonly<Record<DepositMailKind, Rule>> = mailRules;

function letterIn(
  kind: DepositMailKind,
  { state, isPayers, hers, deposited }: LetterFacts,
): DepositMail | undefined {
  const rule = rules[kind];
  if (!rule.appliesWhile.includes(state)) return undefined;
  if (rule.ofPayer && !isPayers) return undefined;
  const said = Object.fromEntries(Object.entries(deposited).filter(([fact]) => fact in rule.says));
  const letter: object = { kind, ...hers, ...said };
  // The rule of each kind names all that it says; what TypeScript cannot follow is that this is what was picked.
  return letter as DepositMail;
}

type LetterFacts = NonNullable<ReturnType<typeof letterFactsOf>>;

/** What decides which letters about a deposit are true, and all that they say. */
function letterFactsOf(record: RegistrationRecord) {
  const { id: registration, edition, deposit, depositPayment, handedOver, linksEpoch } = record;
  if (record.forgottenAt) return undefined;
  const isPaid = deposit === 'paid';
  const isToBePaid = depositPayment?.status === 'open' && record.source !== 'office';
  if (!isPaid && !isToBePaid) return undefined;
  const state: DepositState = isPaid ? 'paid' : 'unpaid';
  // Who got the place from somebody else did not pay the deposit.
  const isPayers = !record.decisions.cancel && !handedOver;
  const hers = {
    registration,
    depositPayment: depositPayment?.id,
    edition: edition.facts.id,
    ...record.registrant,
    linksEpoch: linksEpoch || undefined,
    agreed: record.agreed,
  };
  const deposited: Deposited = {
    addressHasPlace: record.addressHasPlace,
    amountCents: isPaid ? record.depositCents : (depositPayment?.cents ?? 0),
    paidAt: (record.paidAt ?? record.begunAt).toISOString(),
    by: isPaid ? wayOf(record) : undefined,
    termsVersion: record.agreement?.version,
  };
  return { state, isPayers, hers, deposited };
}

/** How a deposit was paid that no card paid. */
function wayOf({ depositDueCents, depositCents, received }: RegistrationRecord): Deposited['by'] {
  if (depositDueCents === undefined) return undefined;
  return depositCents === 0 ? 'scholarship' : received.counting.at(0)?.way;
}
