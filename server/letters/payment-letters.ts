import {
  depositLeftOf,
  hasPlace,
  installmentsOf,
  nextInstallment,
  owes,
  paidBalances,
  type Received,
  type RegistrationRecord,
  receivedFor,
  reductionOf,
  stateOf,
} from '#server/registration/registration.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { formatCents } from '#shared/money.ts';
import type { Due, LetterKinds, Said } from './letter-kind.ts';
import { comesNext, moneyTable, owedTitle } from './money.ts';
import { daysOf, pageButton, type Writing } from './render/parts.ts';

const KEEP = 'Please keep this e-mail: it is your receipt. You can also print it from your own page.';

/** What came, and what changed what is left to pay. */
export const paymentLetters = {
  /** A scholarship, or another price, as long as the decision stands. */
  'tuition-reduced': {
    name: 'A scholarship, or another price',
    asksToPay: true,
    newsDays: 14,
    due(record, now) {
      const { waived } = record.decisions;
      const reduced = reductionOf(record.decisions);
      if (!waived || !reduced || !hasPlace(record)) return undefined;
      return {
        at: waived.at,
        says(w) {
          const sum = formatCents(reduced.cents);
          const isScholarship = reduced.as === 'scholarship';
          return tellOfMoney(record, now, w, {
            title: isScholarship ? `Your scholarship of ${sum}` : `${sum} is taken off your tuition`,
            intro: isScholarship
              ? `The retreat office has given you a scholarship of ${sum} for ${w.title}. We are so glad you are coming.`
              : `As arranged with the retreat office, ${sum} is taken off your tuition for ${w.title}.`,
          });
        },
      };
    },
  },

  /** The receipt of each check, transfer and part of a plan, until nothing is left: then there is one of everything. */
  'payment-received': {
    name: 'A payment came',
    asksToPay: true,
    newsDays: 14,
    due(record, now) {
      const { received, deposit, endedLetters } = record;
      if (!isOpen(record)) return undefined;
      const parts = installmentsOf(record).flatMap(({ part, payment: paid }): Came[] =>
        part && paid?.paidAt && hasPlace(record)
          ? [{ key: paid.id, at: paid.paidAt, cents: paid.cents, what: `${owedTitle({ part })}` }]
          : [],
      );
      // The welcome tells of what paid the deposit and nothing else.
      const ofBalance = receivedFor(record).balance.map(({ id }) => id);
      const others = received.counting
        .filter(({ id }) => deposit !== 'paid' || ofBalance.includes(id))
        .map((came): Came => ({ key: came.id, at: came.at, cents: came.cents, what: nameOf(came) }));
      // She had the receipt of everything before another payment was taken back.
      const isReceipted = ({ at }: Came) =>
        endedLetters.some((one) => one.kind === 'balance-paid' && one.at >= at);
      return [...parts, ...others]
        .filter((came) => !isReceipted(came))
        .map((came) => receipt(came, record, now));
    },
  },

  /** Each that was taken back because it bounced, while that leaves something to pay. */
  'payment-returned': {
    name: 'A check bounced',
    asksToPay: true,
    newsDays: 14,
    due(record, now) {
      if (!isOpen(record)) return undefined;
      const bounced = record.received.takenBack.filter(({ why }) => why === 'bounced');
      return bounced.map(({ at, payment }) => returned(payment, at, record, now));
    },
  },

  'balance-paid': {
    name: 'Receipt for the balance',
    due(record, now) {
      const { handedOver, paidAt } = record;
      const beside = receivedFor(record).balance.map(({ number, on }) => ({ key: number ?? on, at: on }));
      const byCard = paidBalances(record).map(({ id, paidAt: at }) => ({ key: id, at }));
      const all = [...beside, ...byCard].toSorted((one, other) => +one.at - +other.at);
      const last = all.at(-1);
      if (stateOf(record, now) !== 'settled' || !last || !paidAt) return undefined;
      if (handedOver && last.at < handedOver.at) return undefined;
      return {
        // A second check gets a second receipt.
        key: all.map(({ key }) => key),
        says(w) {
          const isPlan = nextInstallment(record).part !== undefined;
          return tellOfMoney(record, now, w, {
            subject: `Paid in full: your receipt for ${w.title}`,
            title: 'Everything is paid. Thank you.',
            intro: `${isPlan ? 'Your payment plan is complete: all of its parts have arrived.' : 'The balance has arrived.'} Your place in ${w.title}, ${daysOf(w.edition)}, is now paid in full. ${KEEP}`,
          });
        },
      };
    },
  },
} satisfies LetterKinds;

/** What has changed, all of the money as it is since, and what comes next. */
function tellOfMoney(
  record: RegistrationRecord,
  now: Date,
  w: Writing,
  { intro, ...said }: { intro: string; title: string; subject?: string },
): Said {
  return {
    ...said,
    blocks: [
      intro,
      moneyTable(record, now, w),
      leftWords(record, now, w),
      pageButton(record, w, 'Your own page', 'payments'),
    ],
  };
}

interface Came {
  key: string;
  at: Date;
  cents: number;
  what: string;
}

/** Whether something is left to pay: of the tuition, or of the deposit of a place that was held. */
function isOpen(record: RegistrationRecord): boolean {
  return owes(record) || (record.deposit === 'unpaid' && record.decisions.held !== undefined);
}

function receipt({ key, at, cents, what }: Came, record: RegistrationRecord, now: Date): Due {
  return {
    key: [key],
    at,
    says: (w) =>
      tellOfMoney(record, now, w, {
        subject: `${what} for ${w.title} has arrived: your receipt`,
        title: `${formatCents(cents)} has arrived. Thank you.`,
        intro: `${what}, ${formatCents(cents)}, for ${w.title} has arrived. ${KEEP}`,
      }),
  };
}

function returned(payment: Received, at: Date, record: RegistrationRecord, now: Date): Due {
  const { handedOver, deposit } = record;
  const isEarlier = handedOver !== undefined && payment.on < handedOver.at;
  return {
    key: [payment.id, at],
    at,
    says(w) {
      const sum = formatCents(payment.cents);
      const came = `for ${w.title}, which came on ${w.day(payment.on)}`;
      const what = isEarlier
        ? `A payment of ${sum} ${came} from the person who had the place before you, was returned by the bank.`
        : `${nameOf(payment)}, ${sum}, ${came}, was returned by the bank. That can happen to anyone.`;
      const follows = deposit === 'paid' ? ' Your place stays reserved, and this amount is due again.' : '';
      return tellOfMoney(record, now, w, {
        title: `${isEarlier ? 'A' : 'Your'} payment was returned`,
        intro: `${what}${follows}`,
      });
    },
  };
}

function nameOf({ way, number }: Received): string {
  const numbered = way === 'check' && number ? ` (number ${number})` : '';
  return `Your payment ${ownPageWords.payments.by[way]}${numbered}`;
}

function leftWords(record: RegistrationRecord, now: Date, w: Writing): string {
  if (record.deposit === 'paid') return comesNext(record, now, w);
  const { held } = record.decisions;
  const left = `${formatCents(depositLeftOf(record))} of the deposit is left.`;
  return held && stateOf(record, now) === 'held'
    ? `${left} Your place is held until ${w.day(held.until)}: it is yours once the whole deposit has arrived.`
    : `${left} Your place is no longer held. Please call the office: if a place is still free, it can be yours.`;
}
