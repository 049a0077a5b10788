import { type DecisionKind, HOW_AGREED } from '#server/registration/act-kinds.ts';
import { declineOn } from '#server/registration/balance.ts';
import { balanceTermsOf } from '#server/registration/card-on-file.ts';
import type { Decision } from '#server/registration/decisions.ts';
import { BALANCE } from '#server/registration/ledger-of-acts.ts';
import { allReceived, TAKEN_BACK } from '#server/registration/received.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { letterWordsOf } from './letter-acts.ts';
import type { FoundJob } from './mail-jobs.ts';
import type { Situation } from './registration-act.ts';
import { CAME_BACK, correctionWords, declineWords, moment, receivedWords } from './words.ts';

interface Happening {
  at: Date;
  what: string;
  /** For the office only, so that it is not on the printed page. */
  isNote?: true;
}

/** What happened to a registration, the oldest first. */
export function timelineOf(
  record: RegistrationRecord,
  letters: readonly FoundJob[],
  messages: Situation['messages'] = [],
): Happening[] {
  const { begunAt, paidAt, agreement, notices, cancelled, addressAsked, handedOver, forgottenAt } = record;
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
  for (const { at } of notices) add(wholeSecond(at), 'was told of the charge');
  for (const attempt of record.attempts) {
    const { at, code, try: number } = declineOn(attempt) ?? {};
    add(at && wholeSecond(at), `try ${number} of her card was declined: ${declineWords(code)}`);
  }
  for (const { number, cents, paidAt: at } of record.balances) {
    const what = number === BALANCE ? 'the balance' : 'a part of the balance,';
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
  happened.push(...letters.map((letter) => letterHappened(letter, messages)));
  return happened.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

function cameBack({ bounced }: RegistrationRecord): Happening[] {
  if (!bounced) return [];
  const { at, over, by } = bounced;
  const toDo = over ? '' : ': call her, and correct her address or record that it works';
  const happened = [{ at: wholeSecond(at), what: `${CAME_BACK}${toDo}` }];
  return over ? [...happened, { at: wholeSecond(over), what: `${by}: her address works again` }] : happened;
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
  add(check, 'she pays what is left by check');
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
  add(twoPeople, 'who has another place under her name and address is somebody else');
  if (cancel?.whole) add(cancel, 'gives all of it back: she has paid for another place');
  else if (cancel) {
    const how = cancel.onPage ? 'cancelled on her page' : 'she cancelled in writing';
    add(cancel, `${how} on ${moment(cancel.writtenAt, record)}`);
  }
  if (refund) add(refund, `gives back ${formatCents(refund.cents)} as an exception: ${refund.reason}`);
  if (checkSent) {
    const { cents, sentAt } = checkSent;
    add(checkSent, `sent her a check of ${formatCents(cents)} on ${moment(sentAt, record)}`);
  }
  add(disputeOver, 'the dispute is over');
  return happened;
}

function cancelledWords({ cancelled, decisions }: RegistrationRecord): string {
  const { cents = 0, checkCents = 0 } = cancelled ?? {};
  const what = decisions.cancel?.whole ? 'giving all of it back' : 'her cancellation';
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
      const what = `${by}: note ${number}${asked}${takenBack ? ', taken back' : `: ${text}`}`;
      return { at, what, isNote: true as const };
    }),
    ...notes.flatMap(({ number, takenBack: back }) =>
      back ? [{ at: back.at, what: `${back.by}: took back note ${number}` }] : [],
    ),
    ...[...called.values()].map(({ at, by }) => ({ at, what: `${by}: called her back` })),
  ];
}

const LETTER_STATES = {
  sent: 'was sent',
  failed: 'failed',
  delayed: 'waits for its next try',
  waiting: 'waits',
  sending: 'is being sent',
} as const;

function letterHappened(found: FoundJob, messages: Situation['messages']): Happening {
  const { askedBy } = found.letter ?? {};
  const at = found.state === 'sent' ? sentAt(found) : new Date(found.job.finishedOn ?? found.job.timestamp);
  const asked = askedBy === undefined ? '' : `, asked for by ${askedBy}`;
  return {
    at,
    what: `message “${letterWordsOf(found.letter, messages)}” ${LETTER_STATES[found.state]}${asked}`,
  };
}

/** When a mail server accepted it. */
export function sentAt({ job, letter }: Pick<FoundJob, 'job' | 'letter'>): Date {
  return letter?.endedAt ?? new Date(job.finishedOn ?? job.timestamp);
}

function wholeSecond(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000);
}
