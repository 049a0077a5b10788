import {
  type DepositMailKind,
  type DepositState,
  isDepositMail,
  MAIL_KINDS,
  type MailKind,
  type MailOf,
  mailRules,
} from '#server/mail/job.ts';
import type { Deposited } from '#server/mail/job-facts.ts';
import { type EndedLetter, endOf } from '#server/mail/letter-log.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { isUndeliverable, parseBounced } from './bounces.ts';
import { readDecisions } from './decisions.ts';
import {
  actsOfHolder,
  agreedBalanceOf,
  agreementOf,
  depositOf,
  handedOverOf,
  type OnRecord,
} from './on-record.ts';
import { depositStandingOf, type ReceivedOnRecord, readReceived } from './received.ts';
import { registrantIn } from './registrations.ts';

type DepositMail = MailOf<DepositMailKind>;
const DEPOSIT_KINDS = MAIL_KINDS.filter(isDepositMail);

/** The letters that are due: true now, neither sent nor dismissed. None while they wait for the payment. */
export function lettersOwed(onRecord: OnRecord): DepositMail[] {
  return isWaiting(onRecord) ? [] : lettersDue(onRecord);
}

/** Whether no letter about a registration goes out before it is paid: there were too many to such addresses. */
function isWaiting(onRecord: OnRecord): boolean {
  return onRecord.registration?.letterWaits === 1 && letterFactsOf(onRecord)?.state === 'unpaid';
}

/** The status of each letter of a registration; a letter that is not owed yet is left out. */
export type Letters = Partial<Record<MailKind, 'owed' | 'sent' | 'dismissed' | 'waits'>>;

/**
 * The status of the letters of a registration; of the later ones that are not sent, none.
 * @param since when it came to her who has it now: what was sent to others before is left out
 */
export function lettersOf(onRecord: OnRecord, since = new Date(0)): Letters {
  const ended = onRecord.endedLetters.filter(({ at }) => at >= since);
  const status = isWaiting(onRecord) ? 'waits' : 'owed';
  const owed = lettersDue(onRecord).map(({ kind }) => [kind, status]);
  // `owed` overrides `sent`: a letter that was sent may be owed again, to another address.
  return Object.fromEntries([...ended.map(({ kind, state }) => [kind, state]), ...owed]);
}

/** The mails due after a deposit was paid; undefined when its registrant cannot be read. */
export function lettersOfPayment(onRecord: OnRecord): DepositMail[] | undefined {
  if (letterFactsOf(onRecord)?.state !== 'paid') return undefined;
  return lettersDue(onRecord).filter(({ kind }) => mailRules[kind].owed === 'once paid');
}

/** A letter is not due at an address that bounces. */
function lettersDue(onRecord: OnRecord): DepositMail[] {
  const { endedLetters, bounces } = onRecord;
  const facts = letterFactsOf(onRecord);
  return DEPOSIT_KINDS.flatMap((kind) => {
    const letter = facts && letterIn(kind, facts);
    if (!letter || isEnded(letter, endedLetters)) return [];
    return isUndeliverable(letter, bounces.map(parseBounced)) ? [] : [letter];
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
export function depositLetterNow(kind: DepositMailKind, onRecord: OnRecord): DepositMail | undefined {
  const facts = letterFactsOf(onRecord);
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
function letterFactsOf(onRecord: OnRecord) {
  const deposit = depositOf(onRecord);
  const { registration: row, acts } = onRecord;
  const edition = row && findEdition(row.edition);
  if (!edition || row.forgottenAt !== null) return undefined;
  const standing = depositStandingOf(onRecord, edition);
  const isPaid = standing.deposit === 'paid' && deposit?.asMade !== 0;
  const isToBePaid = deposit?.status === 'open' && deposit.asMade === 1 && row.source !== 'office';
  if (!isPaid && !isToBePaid) return undefined;
  const state: DepositState = isPaid ? 'paid' : 'unpaid';
  const amountCents = isPaid ? standing.depositCents : (deposit?.cents ?? 0);
  const { id: registration, begunAt, linksEpoch } = row;
  const handedOver = handedOverOf(acts);
  const own = { acts: actsOfHolder(acts) };
  const termsVersion = agreementOf(own)?.version;
  // Who got the place from somebody else did not pay the deposit.
  const isPayers = !readDecisions(acts).cancel && !handedOver;
  const hers = {
    registration,
    depositPayment: deposit?.id,
    edition: edition.facts.id,
    ...registrantIn(row),
    linksEpoch: linksEpoch || undefined,
    agreed: agreedBalanceOf(onRecord),
  };
  const deposited: Deposited = {
    addressHasPlace: onRecord.addressHasPlace,
    amountCents,
    paidAt: standing.paidAt?.toISOString() ?? begunAt,
    by: isPaid ? wayOf(standing, readReceived(acts)) : undefined,
    termsVersion,
  };
  return { state, isPayers, hers, deposited };
}

/** How a deposit was paid that no card paid. */
function wayOf(
  { depositDueCents, depositCents }: ReturnType<typeof depositStandingOf>,
  { counting }: ReceivedOnRecord,
): Deposited['by'] {
  if (depositDueCents === undefined) return undefined;
  return depositCents === 0 ? 'scholarship' : counting.at(0)?.way;
}
