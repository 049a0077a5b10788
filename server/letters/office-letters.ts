import { officeLettersPath, officeWaitingPath } from '#server/links/links.ts';
import type { PersonMail, RegistrationMail } from '#server/mail/job.ts';
import type { DetailsBefore } from '#server/mail/job-facts.ts';
import type { Edition, Facts } from '#shared/content/edition.ts';
import {
  type OfficeItem,
  officeNeeds,
  officeDigestMail as words,
} from '#shared/content/office-digest-words.ts';
import { nameOfPart } from '#shared/content/tuition.ts';
import { dateAt, formatDate } from '#shared/dates.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { formatCents, formatDollars } from '#shared/money.ts';
import { oncePer } from '#shared/once-per.ts';
import { formatTimeZone, isKnownTimeZone } from '#shared/zoned-time.ts';
import { hoursAfter, type Said, type SomeLetters, sampleFacts, samplePaymentId } from './letter-kind.ts';
import { type Block, button, type Fact, type FactRow, factTable, heading } from './render/letter.ts';
import { cleanName, fullName, isolate, shortName } from './render/names.ts';
import { dayOf, type MessageContext, officePageOf, officeUrlOf, pageUrlOf } from './render/parts.ts';

/** Texts of several notices to the office. */
export const officeWords = {
  deposit: 'Deposit',
  notGiven: 'not given',
  reply: (name: string) => `If you reply to this e-mail, your reply goes to ${name}.`,
} as const;

/** The parts of a notice that differ from the other notices. */
interface Notice {
  preheader: string;
  title: string;
  intro: (name: string) => string;
  /** The state of its payment. */
  facts: readonly FactRow[];
}

/** A notice to the office about one registration: who it is, the state of the payment, and the link to it. */
export function noticeToOffice(
  letter: RegistrationMail,
  context: MessageContext,
  { preheader, title, intro, facts }: Notice,
): Said {
  const name = isolate(fullName(letter));
  const { paymentIntentId: id } = letter;
  const paymentUrl = `https://dashboard.stripe.com/payments/${id}`;
  const page = officePageOf(context, id);
  return {
    preheader,
    title,
    blocks: [
      intro(name),
      factTable([...personFacts(letter), ...facts, { label: 'Payment', value: id, href: paymentUrl }]),
      page ? button('Open her registration', page) : button('Open the payment at Stripe', paymentUrl),
      officeWords.reply(name),
    ],
  };
}

const zoneName = oncePer(formatTimeZone);

/** Who somebody is, and how to reach her. */
export function personFacts({ email, phoneNumber, timeZone, ...names }: PersonMail): FactRow[] {
  const phone = cleanName(phoneNumber);
  return [
    { label: 'Name', value: isolate(fullName(names)), strong: true },
    { label: 'E-mail', value: isolate(email), href: mailLink(cleanName(email)) },
    phone
      ? { label: 'Phone', value: isolate(phone), href: phoneLink(phone) }
      : { label: 'Phone', value: officeWords.notGiven },
    { label: 'Time zone', value: isKnownTimeZone(timeZone) && zoneName(timeZone) },
  ];
}

const unpaid = (facts: Facts): Fact => ({
  label: officeWords.deposit,
  value: `${formatCents(facts.prices.depositCents)}, not yet paid`,
});
/** The line of a registration whose deposit is paid. */
export const paid: Fact = { label: officeWords.deposit, value: 'Paid' };

/** To the office, about details and deposit. */
export const officeNotices = {
  /** As soon as somebody's details have arrived (R5.3). */
  'office-notice': {
    name: 'To the office: someone is registering',
    subject: (_edition, letter) => `Details received, not paid: ${shortName(letter)}`,
    says(letter, { facts }, context) {
      const { title, total } = facts.retreatPackage;
      return noticeToOffice(letter, context, {
        preheader: `The deposit of ${formatCents(facts.prices.depositCents)} is not paid yet.`,
        title: 'Details received, not paid',
        intro: (name) =>
          `${name} has entered contact details for ${facts.title}. The deposit had not been paid when this notice was written; you get another notice when it is.`,
        facts: [{ label: 'Package', value: `${title}, ${formatDollars(total)}` }, unpaid(facts)],
      });
    },
    samples: () => ({ usual: {} }),
  },

  /** When details that it was told have changed: the new details, and the previous ones. */
  'office-change': {
    name: 'To the office: her details have changed',
    subject: (_edition, letter) =>
      `${letter.isHandedOver ? 'Place handed over' : 'Changed details'}: ${shortName(letter)}`,
    says: (letter, edition, context) =>
      noticeToOffice(letter, context, {
        ...(letter.isHandedOver ? handedOver(edition) : changedDetails(edition)),
        facts: [...detailsBefore(letter.before, edition), letter.paid ? paid : unpaid(edition.facts)],
      }),
    samples(edition) {
      const until = hoursAfter(sampleFacts(edition).paidAt, -271);
      const before = {
        name: { was: 'Wilma Flintstone', until, by: 'the registrant' },
        email: { was: 'old@example.org', until, by: 'Anna' },
        phoneNumber: { was: '', until, by: '\u202eAnna\r\nBcc: x' },
      };
      return {
        usual: { paid: false },
        'when-paid': { paid: true },
        'with-what-it-was': { paid: true, before },
        'when-handed-over': { paid: true, before, isHandedOver: true },
      };
    },
  },

  /** Once Stripe says that the deposit is paid. */
  'office-paid': {
    name: 'To the office: she paid the deposit',
    subject: (_edition, letter) => `Paid: ${shortName(letter)}, ${formatCents(letter.amountCents)}`,
    says(letter, { facts: { title } }, context) {
      const way = letter.by === 'scholarship' ? ' by her scholarship' : letter.by ? ` by ${letter.by}` : '';
      const amount = `${formatCents(letter.amountCents)}${way}`;
      const said = letter.isSecond
        ? {
            preheader: 'Paid a second time: please refund it.',
            intro: (name: string) =>
              `${name} has paid the deposit for ${title} a second time. This payment is set aside: nothing more is charged for it, and she gets an e-mail that says so instead of the welcome. Please refund it on her registration’s page, or record there that these are two people.`,
          }
        : {
            preheader: 'The welcome e-mail is sent automatically.',
            intro: (name: string) =>
              `${name} has paid the deposit for ${title}. The welcome e-mail, with the receipt and the schedule, is sent automatically.`,
          };
      const facts = [{ label: 'Received', value: amount, strong: true }];
      return noticeToOffice(letter, context, { ...said, title: `Paid: ${amount}`, facts });
    },
    samples: ({ facts: { prices } }) => ({
      usual: { amountCents: prices.depositCents },
      'a-second-time': { amountCents: prices.depositCents, isSecond: true },
    }),
  },
} satisfies SomeLetters;

const changedDetails = ({ facts: { title } }: Edition) => ({
  preheader: 'The new details replace those in an earlier notice.',
  title: 'Changed details',
  intro: (name: string) =>
    `The details of ${name}’s registration for ${title} have changed. They replace those in an earlier notice.`,
});

const handedOver = ({ facts: { title } }: Edition) => ({
  preheader: 'Both have agreed. Links, card and consent are now those of the new person.',
  title: 'A place was handed over',
  intro: (name: string) =>
    `${name} now has someone else’s place for ${title}: both have agreed. The links, the card and the consent of the person before her have ended. Any money between the two of them is their own affair.`,
});

const details = { name: 'Earlier name', email: 'Earlier e-mail', phoneNumber: 'Earlier phone' } as const;

function detailsBefore(before: DetailsBefore | undefined, edition: Edition): FactRow[] {
  return (['name', 'email', 'phoneNumber'] as const).map((detail) => {
    const one = before?.[detail];
    const was = one && (isolate(one.was) || officeWords.notGiven);
    return {
      label: details[detail],
      value: one && `${was} (until ${dayOf(one.until, edition)}, changed by ${isolate(one.by)})`,
    };
  });
}

/** To the office: everything that needs it, grouped by what it has to do. */
export const officeDigest = {
  'office-digest': {
    name: 'To the office: what needs you today',
    subject: ({ facts }, { items }) => words.subject(items.length, facts),
    says({ items, day }, edition, context) {
      const needed = officeNeeds.filter((need) => items.some((item) => item.need === need));
      return {
        preheader: words.preheader(needed.map((need) => words.needs[need].title)),
        title: words.title(day),
        blocks: [
          words.intro(edition.facts),
          ...needed.flatMap((need) => [
            heading(words.needs[need].title),
            words.needs[need].whatToDo,
            ...items.filter((item) => item.need === need).map((item) => itemBlock(item, edition, context)),
          ]),
          words.another,
        ],
        reason: words.reason(pageUrlOf(context)),
      };
    },
    samples(edition) {
      const { sums, paidAt: since } = sampleFacts(edition);
      const few = fewItems(sums.cents, since);
      return {
        usual: { day: '2025-12-23', items: few },
        'with-everything': { day: '2025-12-23', items: [...few, ...otherItems(sums.cents, since)] },
      };
    },
  },
} satisfies SomeLetters;

/**
 * Who the item is about, how much and since when, and the office's page of her registration, or else the
 * command that helps.
 */
function itemBlock(
  item: OfficeItem,
  { facts: { id: edition }, timetable }: Edition,
  context: MessageContext,
): Block {
  const { need, name, cents, part, since, reason, obstacle, count, paymentIntentId: id, mail } = item;
  const why = reason ? words.reasons[reason] : obstacle && words.obstacles[obstacle];
  const isOfList = need === 'place-free' || need === 'waiting-bounced';
  const page = id
    ? { value: words.herPage, href: officePageOf(context, id) }
    : isOfList
      ? { value: words.waitingList, href: officeUrlOf(context, officeWaitingPath) }
      : { value: words.lettersToAll, href: officeUrlOf(context, officeLettersPath) };
  const isOnPage = id !== undefined || isOfList || need === 'no-room';
  const day = since && formatDate(dateAt(new Date(since), timetable.timeZone.id));
  return factTable([
    { label: words.name, value: name && isolate(name), strong: true },
    { label: countWords(need), value: count?.toString() },
    { label: words.sum, value: cents !== undefined && sumWords(cents, part) },
    { label: words.since, value: day },
    { label: words.why, value: why },
    { label: words.letter, value: mail },
    { label: words.command, value: isOnPage && !page.href && commandOf(need, id ?? edition) },
    { label: words.open, value: isOnPage && page.href && page.value, href: page.href },
  ]);
}

/** `$259.38`, or `$259.38, part 2 of 3` */
const sumWords = (cents: number, part: OfficeItem['part']): string =>
  [formatCents(cents), ...(part ? [nameOfPart(part)] : [])].join(', ');

/** The label of an item's count. */
function countWords(need: OfficeItem['need']): string {
  const { places, tooMany, payments } = words;
  if (need === 'place-free') return places;
  return need === 'overbooked' ? tooMany : payments;
}

function commandOf(need: OfficeItem['need'], id: string): string | undefined {
  const said = words.needs[need];
  return 'command' in said ? said.command(id) : undefined;
}

const paymentIntentId = samplePaymentId(1);

const fewItems = (cents: number, since: string): OfficeItem[] => [
  {
    need: 'action-needed',
    reason: 'insufficient-funds',
    cents,
    since,
    name: 'Wilma O’Hara',
    paymentIntentId,
  },
  { need: 'payments', count: 2 },
  { need: 'overbooked', count: 1 },
];

/** One thing of each other kind, and some of one. */
const otherItems = (cents: number, since: string): OfficeItem[] => [
  { need: 'call-back', name: 'Lena Lund', paymentIntentId, since },
  { need: 'asked-to-pay', obstacle: 'no-notice', name: 'نور حداد', paymentIntentId, cents, since },
  { need: 'asked-to-pay', obstacle: 'no-consent', name: 'Jördis Weiß', paymentIntentId, cents },
  {
    need: 'asked-to-pay',
    obstacle: 'plan-not-agreed',
    name: 'Petra Pohl',
    paymentIntentId,
    cents: 25_938,
    part: { position: 1, count: 3 },
  },
  { need: 'overdue', name: 'Frida Falk', paymentIntentId, cents, since },
  { need: 'deposit-late', name: 'Clara Roe', paymentIntentId, cents: 69_500, since },
  { need: 'check-overdue', name: 'Anna Berg', paymentIntentId, cents: 70_000, since },
  { need: 'disputed', name: 'Carla Conti', paymentIntentId },
  { need: 'second-payment', name: 'Klara Kranz', paymentIntentId, cents: 72_100, since },
  { need: 'deposit-refunded', name: 'Berta Busch', paymentIntentId },
  { need: 'check-to-send', name: 'Dora Duck', paymentIntentId, cents: 70_000, since },
  { need: 'refund-overdue', name: 'Greta Garn', paymentIntentId, cents: 70_000, since },
  {
    need: 'letter-failed',
    name: 'Eva Ernst',
    paymentIntentId,
    mail: `welcome-${paymentIntentId}-0a1b2c3d`,
    since,
  },
  { need: 'bounced', name: 'Hanna Holm', paymentIntentId, cents, since },
  { need: 'complained', name: 'Ida Iversen', paymentIntentId, since },
  { need: 'place-free', count: 1 },
  { need: 'waiting-bounced', name: 'Jutta Juhl', since },
  { need: 'no-room' },
];
