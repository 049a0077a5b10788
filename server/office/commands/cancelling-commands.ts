import * as v from 'valibot';
import type { Situation } from '#server/office/timeline.ts';
import { moment, receivedWords } from '#server/office/words.ts';
import {
  afterAct,
  canUndo,
  type DisputeOnRecord,
  findRegistration,
  hasPlace,
  heldNotes,
  isOfHolderBefore,
  isRefundOrdered,
  lastAct,
  PLACED,
  type RegistrationRecord,
  refundAt,
  stateOf,
  TAKEN_BACK,
  type UndoableKind,
  undoableKinds,
  WITHDRAWAL,
} from '#server/registration/registration.ts';
import type { SumLine } from '#shared/content/tuition.ts';
import { formatCents } from '#shared/money.ts';
import { type Choice, impossible, type Said } from './command.ts';
import { dayAndTime, dollars, reason } from './inputs.ts';
import { requireSum, whileDisputed } from './money-commands.ts';
import { eventCommand, onlyIn, pastMoment } from './registration-command.ts';

const MINUTE_MS = 60_000;

/** How a sum adds up, with lines such as `deposit of $721: not refunded`. */
function sumRows(lines: readonly SumLine[]): Said {
  const rows = lines.map(({ words, keptCents, why, cents }) => {
    const what = keptCents === undefined ? words : `${words} of ${formatCents(keptCents)}`;
    return [why === undefined ? what : `${what}: ${why}`, formatCents(cents)] as const;
  });
  const all = lines.reduce((total, { cents }) => total + cents, 0);
  return { rows: [...rows, ['In all', formatCents(all)]] };
}

const whyNotCancelled = onlyIn(
  PLACED,
  'Only who has paid the deposit and has not cancelled can cancel: what is not paid is ended.',
);

const whyNotTwo = (about: Situation): string | undefined =>
  about.record.paidTwice ? whyNotCancelled(about) : 'Nobody else with this name and address has a place.';

/** What comes back depends on when she wrote; the worker makes it once the cancellation cannot be taken back any more. */
const cancel = eventCommand({
  id: 'cancel',
  helps: ['deposit-refunded'],
  heading: 'Cancel her registration',
  sentence:
    'Records that she cancelled in writing: nothing more is charged, and what comes back depends on that moment.',
  group: 'absent',
  fields: {
    written: {
      takes: dayAndTime,
      label: 'When she wrote',
      hint: 'By the clocks of the retreat. A letter without a time counts from the first minute of its day.',
      input: 'moment',
    },
  },
  refuses: whyNotCancelled,
  events: (about, { written }) => [{ kind: 'cancel', facts: { writtenAt: writtenMoment(about, written) } }],
  warns({ about }, { written }) {
    const { lines } = refundAt(about.record, writtenMoment(about, written));
    return lines.length > 1 ? [sumRows(lines)] : [];
  },
});

/** The end of the minute that she gave: what happened within it came before. */
function writtenMoment(about: Situation, written: string): Date {
  const at = pastMoment(about, written, 'She cannot have written');
  return new Date(Math.min(at.getTime() + MINUTE_MS - 1, about.now.getTime()));
}

const refund = eventCommand({
  id: 'refund',
  heading: 'Give something back as an exception',
  sentence: 'Sends an amount back to her card, whatever the policies say.',
  group: 'absent',
  fields: {
    dollars: { takes: dollars, label: 'How much', hint: 'In dollars.', input: 'amount' },
    reason: {
      takes: reason,
      label: 'Why',
      hint: 'It stands with her payment at Stripe, and on this page. 200 characters at most.',
    },
  },
  refuses(about) {
    const { record, now } = about;
    if (record.deposit !== 'paid' || stateOf(record, now) === 'cancelling')
      return 'An exception is decided once the deposit is paid, and not while a cancellation waits to be carried out: take it back first.';
    if (isRefundOrdered(record))
      return 'The exception that was decided before is not carried out yet: wait for it, or take it back.';
    return whileDisputed(about, 'nothing is given back');
  },
  button: (input) => `Give ${formatCents(input.dollars)} back to her card`,
  events(_, { dollars: cents, reason: why }) {
    requireSum(cents);
    return [{ kind: 'refund', facts: { cents, reason: why } }];
  },
  warns({ about: { record, now }, by }, { dollars: cents, reason: why }) {
    const after = afterAct(record, { kind: 'refund', at: now, by, facts: { cents, reason: why } });
    const order = lastAct(after.acts, 'refund')?.id;
    const isOthers = after.ledger.payouts.some(
      ({ orderedBy, payment }) =>
        orderedBy === order && payment !== null && isOfHolderBefore(record, { payment }),
    );
    return isOthers
      ? [
          `${record.namesBefore} paid for the place before, and her card gets it; no message says so: please tell her.`,
        ]
      : [];
  },
});

const cancelWhole = eventCommand({
  id: 'cancel-whole',
  heading: 'Give all of it back: she has paid twice',
  sentence:
    'Cancels this one of two places and sends all of it back at once, with any card fee; she keeps the other.',
  group: 'over',
  refuses: (about) => whyNotTwo(about) ?? whileDisputed(about, 'nothing is given back'),
  // Repeated, it leads to the same decision.
  events: ({ record }) => [
    { kind: 'cancel', facts: { writtenAt: record.paidAt ?? record.begunAt, whole: true } },
  ],
  async warns({ about: { record, now }, by, context }) {
    const { other = '' } = record.paidTwice ?? {};
    const kept = await findRegistration(context.payments, other);
    if (!kept || !hasPlace(kept))
      throw impossible(
        `She has cancelled or lost her other place, ${other}: it may be this one that she wants to keep. Ask her.`,
      );
    const writtenAt = record.paidAt ?? record.begunAt;
    const after = afterAct(record, { kind: 'cancel', at: now, by, facts: { writtenAt, whole: true } });
    return [
      `She has paid for another place, by ${other}, and keeps it. All of this one goes back at once:`,
      sumRows(refundAt(after, writtenAt).lines),
    ];
  },
});

const twoPeople = eventCommand({
  id: 'two-people',
  helps: ['paid-twice'],
  heading: 'These are two people',
  sentence: 'Records that who has the other place under this name and address is somebody else.',
  group: 'over',
  refuses: whyNotTwo,
  events: () => [{ kind: 'twoPeople' }],
});

/** A charge at Stripe is marked as disputed for ever, so a person has to say that it is over. */
const disputeOver = eventCommand({
  id: 'dispute-over',
  helps: ['disputed'],
  heading: 'The dispute is over',
  sentence: 'Lets money move automatically again, once her bank has decided what she disputed.',
  group: 'over',
  refuses: ({ record }) => (record.disputed ? undefined : 'No dispute holds anything up.'),
  events({ record: { disputes, ...record } }) {
    const open = disputes.filter(({ isOver }) => !isOver).map((one) => disputeWords(one, record));
    if (open.length > 0) throw impossible(`Her bank has not decided yet: ${open.join('; ')}.`);
    if (disputes.length === 0) throw impossible('Stripe lists no dispute yet: try again later.');
    const charges = [...new Set(disputes.map(({ charge }) => charge))];
    return [{ kind: 'disputeOver', facts: { charges, disputes: disputes.map(({ id }) => id) } }];
  },
  warns: ({ about: { record } }) => record.disputes.map((one) => `${disputeWords(one, record)}.`),
});

/** One dispute in words, such as `The deposit: $721 disputed on … as fraudulent, lost (du_1)`. */
function disputeWords(
  { id, of, cents, at, reason: why, status }: DisputeOnRecord,
  record: Pick<RegistrationRecord, 'edition'>,
): string {
  const outcome = status === 'lost' ? 'lost: her bank took the money back' : status.replaceAll('_', ' ');
  return `The ${of}: ${formatCents(cents)} disputed on ${moment(at, record)} as ${why.replaceAll('_', ' ')}, ${outcome} (${id})`;
}

const UNDONE: Readonly<Record<UndoableKind, string>> = {
  cancel: 'Her cancellation',
  waived: 'The scholarship, or the other price',
  check: 'That she pays by check',
  postponed: 'The later day',
  plan: 'The payment plan',
  refund: 'The exception',
  checkSent: 'The check that was sent to her',
  handOver: 'The handing over of her place',
};

/** What can be taken back, each with the act that it undoes, and why where that is asked. */
function undoable({ record, now }: Situation): (Choice & { undoes?: string | undefined; why?: string })[] {
  const decided = undoableKinds.filter((kind) => canUndo(record, kind, now));
  return [
    ...decided.map((kind) => ({
      value: kind,
      words: UNDONE[kind],
      undoes: lastAct(record.acts, kind)?.id,
    })),
    ...record.received.counting.flatMap(({ id: undoes, name, ...one }) =>
      Object.entries(TAKEN_BACK).map(([why, words]) => ({
        value: `${name}-${why}`,
        words: `The ${receivedWords(one)}: ${words.toLowerCase()}`,
        undoes,
        why,
      })),
    ),
    ...heldNotes(record).map(({ id: undoes, number, text }) => ({
      value: `note-${number}`,
      words: `Note ${number}: ${text.length > 60 ? `${[...text].slice(0, 60).join('')}…` : text}`,
      undoes,
    })),
  ];
}

const undo = eventCommand({
  id: 'undo',
  heading: 'Take something back',
  sentence:
    'What was decided, a check that bounced or was a mistake, a note; her cancellation for 24 hours. What has gone back to a card stays there.',
  group: 'over',
  fields: { what: { takes: v.string(), label: 'What is taken back', choices: undoable } },
  refuses: (about) =>
    undoable(about).length > 0 ? undefined : 'Nothing is on record that could be taken back.',
  events(about, { what }) {
    const chosen = undoable(about).find(({ value }) => value === what);
    if (!chosen) throw impossible('That cannot be taken back any more.');
    const { undoes, why } = chosen;
    return [{ kind: WITHDRAWAL, undoes, ...(why && { facts: { why } }) }];
  },
});

export const cancellingCommands = [cancel, refund, undo, disputeOver, twoPeople, cancelWhole];
