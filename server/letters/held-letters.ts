import type { MailOf } from '#server/mail/job.ts';
import type { Decision } from '#server/record/decisions.ts';
import { canPayDeposit, depositByCardOf, depositLeftOf, paidBalances } from '#server/record/owed.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { heldEnd, stateOf } from '#server/record/registration-state.ts';
import type { Edition } from '#shared/content/edition.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { hoursAfter, type SomeLetters, sampleFacts } from './letter-kind.ts';
import { factTable, type Passage } from './render/letter.ts';
import type { MessageContext } from './render/links.ts';
import { beginning, byCheck, dayOf, daysOf, inDollars, momentOf, ownPageButton } from './render/parts.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long before the end she is reminded, unless the place has not been held for longer. */
const REMINDED_MS = 3 * DAY_MS;
const HELD_ALONE_MS = 5 * DAY_MS;
/** Later than this it is no news to her any more that her place is free again. */
const LAPSED_TOLD_MS = 14 * DAY_MS;

/** When a letter about a place that the office holds falls due, or is not true any more. */
export function heldMoments(held: Decision<'held'>): Date[] {
  const { until } = held;
  const end = heldEnd(held).getTime();
  return [until.getTime() - REMINDED_MS, until.getTime(), end, end + LAPSED_TOLD_MS].map(
    (ms) => new Date(ms),
  );
}

/** The letters about a place that the office holds until the deposit has come. */
export const heldLetters = {
  /** At once, and again when the office holds it until another day. */
  'place-held': {
    name: 'A place is held for you',
    subject: ({ facts }) => `Your place for ${facts.title}: what is left to do`,
    now(record, now) {
      const { held } = record.decisions;
      return held && stateOf(record, now) === 'held' ? heldFacts(record, held) : undefined;
    },
    says(letter, edition, context) {
      const { facts } = edition;
      const terms = edition.agreed.find(({ version }) => version === letter.termsVersion);
      return {
        preheader: `It is held until ${lastDay(letter, edition)}.`,
        title: 'A place is held for you',
        blocks: [
          `We are glad that you would like to come to ${facts.title}, live online, on ${daysOf(edition)}. The retreat office holds a place for you until ${lastDay(letter, edition)}. It is yours once the deposit has arrived.`,
          ...howToPay(letter, edition, context),
          terms &&
            `You agreed to the policies, also that the deposit is not refunded, when you spoke with the office or wrote to it. You can read them at ${new URL(termsPathOf(facts, terms), context.siteUrl).href}. If you did not agree, please tell us before you pay.`,
          ownPageButton(letter, edition, context),
        ],
        reason: 'You received this e-mail because the retreat office registered you, as you asked it to.',
      };
    },
    samples(edition) {
      const sample = sampleHeld(edition);
      return {
        usual: sample,
        'by-transfer': { ...sample, way: 'transfer' },
        'with-a-part-here': { ...sample, receivedCents: 20_000, beforeFeeCents: 49_500, noCard: true },
        'by-card': { ...sample, way: 'card' },
      };
    },
  },

  /** Some days before the end, if nothing has come. */
  'place-held-reminder': {
    name: 'Your place is held for a few more days',
    subject: ({ facts }) => `A reminder: your place for ${facts.title}`,
    now(record, now) {
      const { held } = record.decisions;
      if (!held || stateOf(record, now) !== 'held' || now >= held.until) return undefined;
      const isTime = now.getTime() >= held.until.getTime() - REMINDED_MS;
      const isAlone = held.until.getTime() - held.at.getTime() < HELD_ALONE_MS;
      return isTime && !isAlone ? heldFacts(record, held) : undefined;
    },
    says: (letter, edition, context) => ({
      preheader: `It is held until ${lastDay(letter, edition)}.`,
      title: letter.receivedCents
        ? 'A part of your deposit has not arrived yet'
        : 'Your deposit has not arrived yet',
      blocks: [
        `A short reminder: the retreat office holds a place for you in ${edition.facts.title} until ${lastDay(letter, edition)}, and ${notArrived(letter, edition)}. If it is on its way, thank you: there is nothing more to do.`,
        ...howToPay(letter, edition, context),
        ownPageButton(letter, edition, context),
      ],
      questions: `If you need some more days, or cannot come, reply to this e-mail or call ${context.office.phone}.`,
    }),
    samples: (edition) => ({ usual: sampleHeld(edition) }),
  },

  /** A day after the end, if the deposit did not come. */
  'place-lapsed': {
    name: 'Your place is no longer held',
    subject: ({ facts }) => `Your place for ${facts.title} is no longer held`,
    now(record, now) {
      const { held } = record.decisions;
      if (!held || paidBalances(record).length > 0 || stateOf(record, now) !== 'lapsed') return undefined;
      return now.getTime() < heldEnd(held).getTime() + LAPSED_TOLD_MS ? heldFacts(record, held) : undefined;
    },
    says: (letter, edition, context) => ({
      preheader: 'Please call us if you would still like to come.',
      title: 'Your place is no longer held',
      blocks: [
        `The retreat office held a place for you in ${edition.facts.title} until ${lastDay(letter, edition)}. ${beginning(notArrived(letter, edition))}, so the place is free again.${letter.receivedCents ? ' What has arrived is yours: the office sends it back to you, unless you want to go on.' : ' Nothing was charged.'}`,
        ownPageButton(letter, edition, context),
        `If you would still like to come, or your payment is on its way, please reply to this e-mail or call ${context.office.phone}: as long as a place is free, it is yours.`,
      ],
    }),
    samples: (edition) => ({ usual: sampleHeld(edition) }),
  },
} satisfies SomeLetters;

type AboutHeld = MailOf<'place-held' | 'place-held-reminder' | 'place-lapsed'>;

function heldFacts(record: RegistrationRecord, { at, way, until }: Decision<'held'>) {
  const termsVersion = record.agreement?.version;
  const receivedCents = record.received.counting.reduce((sum, { cents }) => sum + cents, 0);
  return {
    at: at.toISOString(),
    way,
    until: until.toISOString(),
    cents: depositByCardOf(record),
    beforeFeeCents: depositLeftOf(record),
    ...(receivedCents > 0 && { receivedCents }),
    ...(!canPayDeposit(record) && { noCard: true as const }),
    ...(termsVersion !== undefined && { termsVersion }),
  };
}

function lastDay({ until }: AboutHeld, edition: Edition): string {
  return dayOf(until, edition);
}

function notArrived(letter: AboutHeld, edition: Edition): string {
  return (letter.receivedCents ?? 0) > 0
    ? `${byCheck(letter, edition)} of the deposit has not arrived`
    : 'the deposit has not arrived';
}

function howToPay(letter: AboutHeld, edition: Edition, { office }: MessageContext): Passage[] {
  const { way, cents } = letter;
  const sum = byCheck(letter, edition);
  const note = onWays(
    edition.facts.prices,
    ' There is no card fee.',
    (percent) => ` That is ${percent} less than by card.`,
  );
  const by = momentOf(letter.until, letter, edition);
  const { legalName, postalAddress } = office;
  const to = [legalName ?? edition.facts.siteName, postalAddress].filter(Boolean).join(', ');
  const words = {
    card: `Please pay it by card on your own page, by ${by}.`,
    check: `Please send a check in US dollars to ${to}, so that it arrives by ${by}.${note}`,
    transfer: `Please transfer it so that it arrives by ${by}.${note} If you do not have our account yet, reply to this e-mail, and we send it to you.`,
  };
  return [
    factTable([
      { label: 'Deposit', value: way === 'card' ? inDollars(cents) : `${sum} (US dollars)`, strong: true },
      { label: 'Or by card', value: way !== 'card' && `${formatCents(cents)}, on your own page` },
      { label: 'By', value: by },
    ]),
    words[way],
  ];
}

function sampleHeld(edition: Edition) {
  const { depositCents: cents, depositBeforeFeeCents: beforeFeeCents } = edition.facts.prices;
  const { depositPaidAt: at } = sampleFacts(edition);
  return {
    at,
    way: 'check' as const,
    until: hoursAfter(at, 240),
    cents,
    beforeFeeCents,
    termsVersion: edition.terms.version,
  };
}
