import {
  canPayDeposit,
  type Decision,
  depositByCardOf,
  depositLeftOf,
  heldEnd,
  paidBalances,
  type RegistrationRecord,
  stateOf,
  sumOfCents,
} from '#server/registration/registration.ts';
import { formatCents, onWays } from '#shared/money.ts';
import type { LetterKinds, Said } from './letter-kind.ts';
import { factTable, type Passage } from './render/letter.ts';
import { beginning, daysOf, inDollars, pageButton, termsUrlOf, type Writing } from './render/parts.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long before the end she is reminded, unless the place has not been held for longer. */
const REMINDED_MS = 3 * DAY_MS;
const HELD_ALONE_MS = 5 * DAY_MS;
const LAPSED_TOLD_MS = 14 * DAY_MS;

function heldMoments({ decisions: { held } }: RegistrationRecord): Date[] {
  if (!held) return [];
  const until = held.until.getTime();
  const end = heldEnd(held).getTime();
  return [until - REMINDED_MS, until, end, end + LAPSED_TOLD_MS].map((ms) => new Date(ms));
}

export const heldLetters = {
  /** At once, again when the office holds it until another day, and some days before the end. */
  'place-held': {
    name: 'A place is held for you',
    subject: ({ facts }) => `Your place for ${facts.title}: what is left to do`,
    asksToPay: true,
    moments: heldMoments,
    due(record, now) {
      const { held } = record.decisions;
      if (!held || stateOf(record, now) !== 'held') return undefined;
      const { at, until } = held;
      const isEnding = now < until && +now >= +until - REMINDED_MS && +until - +at >= HELD_ALONE_MS;
      const first = { at, says: (w: Writing) => saidAtFirst(record, held, w) };
      return isEnding ? [first, { key: [until], at, says: (w) => saidAtLast(record, held, w) }] : first;
    },
  },

  'place-lapsed': {
    name: 'Your place is no longer held',
    subject: ({ facts }) => `Your place for ${facts.title} is no longer held`,
    asksToPay: true,
    due(record, now) {
      const { held } = record.decisions;
      if (!held || paidBalances(record).length > 0 || stateOf(record, now) !== 'lapsed') return undefined;
      if (now.getTime() >= heldEnd(held).getTime() + LAPSED_TOLD_MS) return undefined;
      return {
        key: [held.until],
        at: held.at,
        says(w) {
          const came = receivedOf(record)
            ? ' What has arrived is yours: the office will send it back to you, unless you still want to come.'
            : ' Nothing was charged.';
          return {
            title: 'Your place is no longer held',
            blocks: [
              `The retreat office held a place for you in ${w.title} until ${w.day(held.until)}. ${beginning(notArrived(record))}, so the place is free again.${came}`,
              pageButton(record, w, 'Your own page'),
              `If you would still like to come, or your payment is on its way, please reply to this e-mail or call ${w.office.phone}: if a place is still free, it is yours.`,
            ],
          };
        },
      };
    },
  },
} satisfies LetterKinds;

function saidAtFirst(record: RegistrationRecord, held: Decision<'held'>, w: Writing): Said {
  const terms = termsUrlOf(record, w);
  return {
    title: 'A place is held for you',
    blocks: [
      `We are glad that you would like to come to ${w.title}, live online, on ${daysOf(w.edition)}. The retreat office holds a place for you until ${w.day(held.until)}. It is yours once the deposit has arrived.`,
      ...howToPay(record, held, w),
      terms &&
        `When you spoke with the office or wrote to it, you agreed to the policies, including that the deposit is not refunded. You can read them at ${terms}. If you did not agree, please tell us before you pay.`,
    ],
    reason: 'You received this e-mail because the retreat office registered you, as you asked.',
  };
}

function saidAtLast(record: RegistrationRecord, held: Decision<'held'>, w: Writing): Said {
  return {
    subject: `A reminder: your place for ${w.title}`,
    title: `${receivedOf(record) ? 'Part of your' : 'Your'} deposit has not arrived yet`,
    blocks: [
      `A short reminder: the retreat office holds a place for you in ${w.title} until ${w.day(held.until)}, and ${notArrived(record)}. If it is on its way, thank you: there is nothing more you need to do.`,
      ...howToPay(record, held, w),
    ],
    questions: `If you need a few more days, or can’t come, reply to this e-mail or call ${w.office.phone}.`,
  };
}

const receivedOf = ({ received }: RegistrationRecord): number => sumOfCents(received.counting);

function notArrived(record: RegistrationRecord): string {
  return receivedOf(record) > 0
    ? `${formatCents(depositLeftOf(record))} of the deposit has not arrived`
    : 'the deposit has not arrived';
}

function howToPay(record: RegistrationRecord, { way, until }: Decision<'held'>, w: Writing): Passage[] {
  const { prices, siteName } = w.edition.facts;
  const note = onWays(prices, ' There is no card fee.');
  const by = w.moment(until);
  const { legalName, postalAddress } = w.office;
  const to = [legalName ?? siteName, postalAddress].filter(Boolean).join(', ');
  const byCard = depositByCardOf(record);
  const words = {
    card: `Please pay it by card on your own page, by ${by}.`,
    check: `Please send a check in US dollars to ${to}, so that it arrives by ${by}.${note}`,
    transfer: `Please send a bank transfer so that it arrives by ${by}.${note} If you don’t have our account details yet, reply to this e-mail, and we will send them to you.`,
  };
  const [canPay, isByCard] = [canPayDeposit(record), way === 'card'];
  const label = isByCard && canPay ? `Pay ${formatCents(byCard)}` : 'Your own page';
  return [
    factTable([
      { label: 'Deposit', value: inDollars(isByCard ? byCard : depositLeftOf(record)), strong: true },
      { label: 'Or by card', value: !isByCard && canPay && `${formatCents(byCard)}, on your own page` },
      { label: 'By', value: by },
    ]),
    words[way],
    pageButton(record, w, label),
  ];
}
