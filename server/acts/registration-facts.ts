import { HOW_AGREED } from '#server/record/acts.ts';
import type { Bounced } from '#server/record/bounces.ts';
import { isRefundOrdered, refundAt, undoUntil, workedOffFrom } from '#server/record/cancel-plan.ts';
import { balanceTermsOf } from '#server/record/card-on-file.ts';
import { isPlanAgreed } from '#server/record/charge-plan.ts';
import type { Decision, DecisionKind } from '#server/record/decisions.ts';
import { callsToMake } from '#server/record/notes.ts';
import { balanceOfRecord, balancesOf, isRestByCheck, sumByCard } from '#server/record/owed.ts';
import { allReceived, TAKEN_BACK } from '#server/record/received.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import {
  chargeMomentOf,
  lastDecline,
  nextTryAt,
  owedByCheck,
  owingStates,
  type RegistrationState,
  stateOf,
} from '#server/record/registration-state.ts';
import { nameCard } from '#shared/content/card-words.ts';
import { formatDateRange } from '#shared/dates.ts';
import { formatCents, onWays } from '#shared/money.ts';
import type { FoundJob } from './mail-jobs.ts';
import { signed } from './notes.ts';
import { planRows } from './payment-plan.ts';
import {
  bounceWords,
  chargeWords,
  correctionWords,
  declineWords,
  moment,
  partWords,
  receivedWords,
  WITHHELD_WORDS,
  whatCameOfIt,
} from './words.ts';

/** The state of a registration, as pairs of a label and words. */
export function registrationFacts(record: RegistrationRecord, now: Date): [name: string, words: string][] {
  const state = stateOf(record, now);
  const { id, edition, registrant, namesBefore, agreement, depositCents, disputed } = record;
  const { facts } = edition;
  return [
    ['Registration', id],
    ['Edition', `${facts.id}: ${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}`],
    [
      'Registrant',
      `${registrant.firstName} ${registrant.lastName}${namesBefore ? `, before: ${namesBefore}` : ''}`,
    ],
    ['E-mail', registrant.email],
    ['Phone', registrant.phoneNumber],
    ['Time zone', registrant.timeZone],
    ['State', disputed ? `${state}, disputed: nothing is charged or refunded automatically` : state],
    ['Agreed to', agreement ? `terms version ${agreement.version}` : 'nothing on record'],
    ['Deposit', depositCents > 0 ? `${formatCents(depositCents)} paid` : 'not paid'],
    ['Balance', balanceWords(record, state)],
    ...planFacts(record),
    ['Card', record.card ? nameCard(record.card) : 'none on file'],
    ['Told of the charge', noticeWords(record)],
    ...lettersFacts(record),
    ['Tries', triesWords(record, state)],
    ['Charged automatically', chargeWords(record, now)],
    ...givenBackFacts(record, state),
    ...callsToMake(record).map((note): [string, string] => ['Call her back', signed(note, record)]),
  ];
}

function balanceWords(record: RegistrationRecord, state: RegistrationState): string {
  if (['begun', 'lapsed', 'closed'].includes(state)) return 'none before the deposit is paid';
  if (state === 'settled') return 'nothing is left to pay';
  if (state === 'second-payment') return `held: she had paid ${record.secondOf} before`;
  if (!owingStates.includes(state)) return 'cancelled: nothing more is charged';
  const { byCardCents, beforeFeeCents } = balanceOfRecord(record);
  const sum = isRestByCheck(record)
    ? `${formatCents(beforeFeeCents)} by check`
    : `${formatCents(byCardCents)} by card`;
  const dueAt = chargeMomentOf(record);
  if (record.part) return `${sum}, ${partWords(record.part)}, due ${moment(dueAt, record)}`;
  return dueAt < new Date(record.edition.facts.endsAt)
    ? `${sum}, due ${moment(dueAt, record)}`
    : `${sum}, to be asked for: the retreat is over before it could be charged`;
}

function planFacts(record: RegistrationRecord): [string, string][] {
  const { plan, planAgreed, check } = record.decisions;
  if (!plan || check) return [];
  const agreed =
    isPlanAgreed(record) && planAgreed ? `agreed on ${moment(planAgreed.at, record)}` : 'not agreed';
  return [
    ['Payment plan', [agreed, plan.paused && 'paused'].filter(Boolean).join(', ')],
    ...planRows(record),
  ];
}

function noticeWords(record: RegistrationRecord): string {
  const { noticed } = record;
  if (!noticed) return 'not yet';
  return `${formatCents(noticed.cents)} on ${moment(noticed.dueAt, record)}`;
}

function lettersFacts(record: RegistrationRecord): [string, string][] {
  const words = bounceWords(record) ?? WITHHELD_WORDS[record.letters['registration-received'] ?? ''];
  return words === undefined ? [] : [['Messages', words]];
}

function triesWords(record: RegistrationRecord, state: RegistrationState): string {
  const { tries = 0, decline } = record.balance ?? {};
  if (tries === 0) return 'none';
  if (!owingStates.includes(state)) return String(tries);
  const last = lastDecline(record);
  if (!decline || !last) return `${tries}; it is tried again as soon as the site gets to it`;
  const next = nextTryAt(record);
  return `${tries}, the last one declined: ${last.code}; ${next ? `tried again ${moment(next, record)}` : 'not tried again'}`;
}

function givenBackFacts(record: RegistrationRecord, state: RegistrationState): [string, string][] {
  const { decisions, addressAsked, forgottenAt } = record;
  const { refund, checkSent } = decisions;
  const { lost } = decisions.disputeOver ?? {};
  const owed = owedByCheck(record);
  const [until, from] = [undoUntil(record), workedOffFrom(record)];
  const facts: [string, string | false | undefined][] = [
    ['Given back', formatCents(sumByCard(record.refunds))],
    ['Lost in a dispute', lost && formatCents(lost.deposit + lost.balance)],
    ['Cancelling', state === 'cancelling' && until && from && cancellingWords(record, until, from)],
    ['Exception', refund && exceptionWords(record, refund)],
    ['Owed by check', owed > 0 && formatCents(owed)],
    ['Check sent', checkSent && `${formatCents(checkSent.cents)} on ${moment(checkSent.sentAt, record)}`],
    ['Checks before it', checkSent?.sentBefore !== undefined && formatCents(checkSent.sentBefore)],
    ['Dispute over', decisions.disputeOver && moment(decisions.disputeOver.at, record)],
    ...correctionWords(record).map(({ detail, was }): [string, string] => [`Earlier ${detail}`, was]),
    ['New e-mail', addressAsked && `${addressAsked.to}, not confirmed yet`],
    ['Forgotten', forgottenAt && moment(forgottenAt, record)],
  ];
  return facts.flatMap(([name, words]) => (words ? [[name, words]] : []));
}

function cancellingWords(record: RegistrationRecord, until: Date, from: Date): string {
  const { cancel } = record.decisions;
  const { byCardCents, byCheckCents } = refundAt(record, cancel?.writtenAt ?? from);
  const back = `${formatCents(byCardCents)} by card and ${formatCents(byCheckCents)} by check go back`;
  return `can be taken back until ${moment(until, record)}; ${back} after ${moment(from, record)}`;
}

function exceptionWords(record: RegistrationRecord, { cents, reason, by, at }: Decision<'refund'>): string {
  const done = isRefundOrdered(record) ? 'not carried out yet' : 'carried out';
  return `${formatCents(cents)}: ${reason} (${by}, ${moment(at, record)}), ${done}`;
}

interface Happening {
  at: Date;
  what: string;
}

/** What happened to a registration, the oldest first. */
export function timelineOf(record: RegistrationRecord, letters: readonly FoundJob[]): Happening[] {
  const { begunAt, paidAt, agreement, noticed, cancelled, addressAsked, handedOver, forgottenAt } = record;
  const happened: Happening[] = [{ at: begunAt, what: 'began to register' }];
  const add = (at: Date | undefined, what: string) => at && happened.push({ at, what });
  // Rounded down to the second, the precision of the times from Stripe.
  const { spoken, version } = agreement ?? {};
  add(
    agreement && wholeSecond(agreement.agreedAt),
    spoken
      ? `${spoken.by}: she agreed to the terms, version ${version}, ${HOW_AGREED[spoken.how]}`
      : `agreed to the terms, version ${version}`,
  );
  const before = record.agreementBefore;
  add(before && wholeSecond(before.agreedAt), `agreed to the terms, version ${before?.version}`);
  add(paidAt, `paid the deposit of ${formatCents(record.depositCents)}`);
  add(noticed && wholeSecond(noticed.at), 'was told of the charge');
  for (const { part, decline, cents, paidAt: at } of balancesOf(record)) {
    const what = part === undefined ? 'the balance' : 'a part of the balance,';
    add(
      decline && wholeSecond(decline.at),
      `try ${decline?.try} of her card was declined: ${declineWords(decline?.code)}`,
    );
    add(at, `paid ${what} of ${formatCents(cents)} by card`);
  }
  add(cancelled && wholeSecond(cancelled.at), cancelledWords(record));
  for (const { at, of, cents, status } of record.refunds)
    add(at, `${formatCents(cents)} of the ${of} ${REFUND_WORDS[status]}`);
  add(addressAsked && wholeSecond(addressAsked.at), `asked for the address ${addressAsked?.to}`);
  add(handedOver && wholeSecond(handedOver.at), handedOverWords(record));
  for (const { at, by } of record.officeLinks) add(at, `${by}: took a link that shows her page`);
  for (const at of new Set(record.answers.map((answer) => answer.at.getTime())))
    add(wholeSecond(new Date(at)), 'answered questions on her page');
  add(forgottenAt && wholeSecond(forgottenAt), 'her personal data were removed');
  happened.push(...cameBack(record), ...decided(record), ...corrected(record), ...noted(record));
  happened.push(...letters.map(letterWords));
  return happened.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

function cameBack({ bounced }: RegistrationRecord): Happening[] {
  if (!bounced) return [];
  const { type, at, over, by } = bounced;
  const happened = [{ at: wholeSecond(at), what: `${whatCameOfIt(bounced)}${toDo(bounced)}` }];
  if (!over || by === undefined) return happened;
  const settled = type === 'bounce' ? 'her address works again' : 'looked at her complaint';
  return [...happened, { at: wholeSecond(over), what: `${by}: ${settled}` }];
}

function toDo({ type, over }: Bounced): string {
  if (over) return '';
  if (type === 'bounce') return ': call her, and correct her address or record that it works';
  return ': call her, and record that her address works';
}

const REFUND_WORDS = {
  pending: 'is on its way back to her',
  succeeded: 'went back to her',
  failed: 'did not go back: her bank did not take it',
} as const;

const WITHDRAWN: Readonly<Record<DecisionKind, string>> = {
  cancel: 'took back her cancellation',
  waived: 'withdrew the waiver',
  check: 'withdrew the check for the balance',
  held: 'no longer holds her place',
  postponed: 'withdrew the later due day',
  plan: 'ended the payment plan',
  planAgreed: 'no longer agrees to the payment plan',
  charge: 'no longer wants her card tried again',
  refund: 'withdrew the exception',
  checkSent: 'withdrew the check that was sent to her',
  disputeOver: 'recorded that the dispute is not over',
  twoPeople: 'withdrew that these are two people',
  handOver: 'no longer hands the place over',
  handOverAgreed: 'no longer agrees to handing the place over',
};

function planWords({ parts, paused }: Decision<'plan'>, record: RegistrationRecord): string {
  const listed = parts.map(({ cents, dueAt }) => `${formatCents(cents)} ${moment(dueAt, record)}`);
  const made = `planned ${parts.length} parts${onWays(balanceTermsOf(record).prices, ', without a card fee')}: ${listed.join('; ')}`;
  return paused ? `${made}; it is paused` : made;
}

function planAgreedWords({ how, on }: Decision<'planAgreed'>, record: RegistrationRecord): string {
  if (!how || !on) return 'agreed to the payment plan on her page';
  return `she agreed to the payment plan ${HOW_AGREED[how]} on ${moment(on, record)}`;
}

function decided(record: RegistrationRecord): Happening[] {
  const { decisions } = record;
  const { cancel, waived, check, held, postponed, plan, planAgreed, charge, withdrawn } = decisions;
  const { refund, checkSent, disputeOver, twoPeople, handOver, handOverAgreed } = decisions;
  const happened = withdrawn.map(({ at, by, kind }) => ({ at, what: `${by}: ${WITHDRAWN[kind]}` }));
  const add = (act: { at: Date; by: string } | undefined, words: string) =>
    act && happened.push({ at: act.at, what: `${act.by}: ${words}` });
  if (waived) {
    const what = waived.as === 'scholarship' ? 'gave a scholarship of' : 'waived';
    const why = waived.reason ? `: ${waived.reason}` : '';
    add(waived, `${what} ${formatCents(waived.cents)} of the tuition${why}`);
  }
  if (held)
    add(held, `holds her place until ${moment(held.until, record)}: she pays the deposit by ${held.way}`);
  add(check, `she pays ${formatCents(check?.cents ?? 0)} by check`);
  for (const one of allReceived(record.received))
    add(one, `${receivedWords(one)} came on ${moment(one.on, record)}`);
  for (const { payment, why, ...act } of record.received.takenBack)
    add(act, `${receivedWords(payment)} no longer counts: ${TAKEN_BACK[why].toLowerCase()}`);
  if (postponed) add(postponed, `postponed the balance to ${moment(postponed.until, record)}`);
  if (plan) add(plan, planWords(plan, record));
  if (planAgreed) add(planAgreed, planAgreedWords(planAgreed, record));
  add(charge, 'asked for her card to be tried again');
  add(handOver, `hands the place over to ${handOver?.firstName} ${handOver?.lastName}, ${handOver?.email}`);
  add(handOverAgreed, 'agreed to handing the place over');
  add(twoPeople, 'these are two people, and this is no second payment');
  if (cancel?.secondOf !== undefined)
    add(cancel, `gives this second payment back: she had paid ${cancel.secondOf} before`);
  else if (cancel) {
    const how = cancel.onPage ? 'cancelled on her page' : 'she cancelled in writing';
    add(cancel, `${how} on ${moment(cancel.writtenAt, record)}`);
  }
  if (refund) add(refund, `gives back ${formatCents(refund.cents)} as an exception: ${refund.reason}`);
  if (checkSent) {
    const { cents, sentAt } = checkSent;
    add(checkSent, `sent her a check of ${formatCents(cents)} on ${moment(sentAt, record)}`);
  }
  const { lost } = disputeOver ?? {};
  const taken = lost ? `; her bank took ${formatCents(lost.deposit + lost.balance)} back` : '';
  add(disputeOver, `the dispute is over${taken}`);
  return happened;
}

function cancelledWords({ cancelled, secondOf }: RegistrationRecord): string {
  const { cents = 0, checkCents = 0 } = cancelled ?? {};
  const what = secondOf === undefined ? 'her cancellation' : 'the refund of the second payment';
  const check = checkCents > 0 ? `, ${formatCents(checkCents)} by check` : '';
  return `${what} was carried out; ${formatCents(cents)} goes back by card${check}`;
}

function handedOverWords({ handedOver, registrant }: RegistrationRecord): string {
  const before = handedOver && `${handedOver.firstName} ${handedOver.lastName}, ${handedOver.email}`;
  return `${registrant.firstName} ${registrant.lastName} accepted the place; before it was that of ${before}`;
}

function corrected(record: RegistrationRecord): Happening[] {
  return correctionWords(record).map(({ detail, at, by, was }) => {
    return { at, what: `${by}: corrected the ${detail}, which was ${was}` };
  });
}

function noted({ notes }: RegistrationRecord): Happening[] {
  const called = new Map(notes.flatMap(({ calledBack: one }) => (one ? [[one.at.getTime(), one]] : [])));
  return [
    ...notes.map(({ at, by, number, text, callBack, takenBack }) => {
      const asked = callBack ? ', to call her back' : '';
      return { at, what: `${by}: note ${number}${asked}${takenBack ? ', taken back' : `: ${text}`}` };
    }),
    ...notes.flatMap(({ number, takenBack: back }) =>
      back ? [{ at: back.at, what: `${back.by}: took back note ${number}` }] : [],
    ),
    ...[...called.values()].map(({ at, by }) => ({ at, what: `${by}: called her back` })),
  ];
}

function letterWords({ job, letter, state }: FoundJob): Happening {
  const kind = letter?.kind ?? 'a mail that is not on record';
  return { at: new Date(job.finishedOn ?? job.timestamp), what: `message ${kind}: ${state}` };
}

function wholeSecond(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000);
}
