import type { PersonMail, RegistrationMail } from '#server/mail/job.ts';
import type { Edition, Facts } from '#shared/content/edition.ts';
import {
  type OfficeChange,
  type OfficeItem,
  officeNeeds,
  officeDigestMail as words,
} from '#shared/content/office-digest-words.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { nameOfPart } from '#shared/content/tuition.ts';
import { dateAt, formatDate } from '#shared/dates.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { formatCents, formatDollars } from '#shared/money.ts';
import { oncePer } from '#shared/once-per.ts';
import { formatTimeZone, isKnownTimeZone } from '#shared/zoned-time.ts';
import {
  depositedOf,
  type Said,
  type SomeLetters,
  sampleFacts,
  sampleRegistrationId,
} from './letter-kind.ts';
import { isBegun } from './registration-letters.ts';
import { type Block, button, type Fact, type FactRow, factTable, heading } from './render/letter.ts';
import { cleanName, fullName, isolate, shortName } from './render/names.ts';
import {
  dayOf,
  type MessageContext,
  officePageOf,
  officePages,
  officeUrlOf,
  pageUrlOf,
} from './render/parts.ts';

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
  const { registration: id, depositPayment: payment } = letter;
  const paymentUrl = payment && `https://dashboard.stripe.com/payments/${payment}`;
  const page = officePageOf(context, id);
  return {
    preheader,
    title,
    blocks: [
      intro(name),
      factTable([
        ...personFacts(letter),
        ...facts,
        { label: 'ID', value: id },
        { label: 'Payment', value: payment, href: paymentUrl },
      ]),
      page
        ? button('Open her registration', page)
        : paymentUrl && button('Open the payment at Stripe', paymentUrl),
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

export const officeNotices = {
  /** As soon as somebody's details have arrived (R5.3). */
  'office-notice': {
    name: 'To the office: someone is registering',
    factsAt: (record) => (isBegun(record) ? {} : undefined),
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

  /** Once Stripe says that the deposit is paid. */
  'office-paid': {
    name: 'To the office: she paid the deposit',
    factsAt: (record) => (record.deposit === 'paid' ? depositedOf(record) : undefined),
    subject: (_edition, letter) => `Paid: ${shortName(letter)}, ${formatCents(letter.amountCents)}`,
    says(letter, { facts: { title } }, context) {
      const way = letter.by === 'scholarship' ? ' by her scholarship' : letter.by ? ` by ${letter.by}` : '';
      const amount = `${formatCents(letter.amountCents)}${way}`;
      const said = {
        preheader: 'The welcome e-mail is sent automatically.',
        intro: (name: string) =>
          `${name} has paid the deposit for ${title}. The welcome e-mail, with the receipt and the schedule, is sent automatically.`,
      };
      const facts = [{ label: 'Received', value: amount, strong: true }];
      return noticeToOffice(letter, context, { ...said, title: `Paid: ${amount}`, facts });
    },
    samples: ({ facts: { prices } }) => ({ usual: { amountCents: prices.depositCents } }),
  },
} satisfies SomeLetters;

/** What somebody changed on her page, or that her place was handed over. */
function changeBlock(change: OfficeChange, edition: Edition, context: MessageContext): Block {
  const { name, detail, was, at, registration: id } = change;
  const page = officePageOf(context, id);
  return factTable([
    { label: words.name, value: isolate(name), strong: true },
    { label: beforeWords(detail), value: was === '' ? officeWords.notGiven : isolate(was) },
    { label: words.since, value: dayOf(at, edition) },
    { label: words.open, value: page && words.herPage, href: page },
  ]);
}

function beforeWords(detail: OfficeChange['detail']): string {
  if (detail === 'place') return words.changes.place;
  return words.changes.before(detail === 'name' ? words.name : registrationCopy.contact[detail]);
}

/** To the office: everything that needs it, grouped by what it has to do. */
export const officeDigest = {
  'office-digest': {
    name: 'To the office: what needs you today',
    subject: ({ facts }, letter) => words.subject(letter?.items.length ?? 0, facts),
    says({ items, changes, day }, edition, context) {
      const needed = officeNeeds.filter((need) => items.some((item) => item.need === need));
      return {
        preheader: words.preheader([
          ...needed.map((need) => words.needs[need].title),
          ...(changes.length > 0 ? [words.changes.title] : []),
        ]),
        title: words.title(day),
        blocks: [
          words.intro(edition.facts),
          ...needed.flatMap((need) => [
            heading(words.needs[need].title),
            words.needs[need].whatToDo,
            ...items.filter((item) => item.need === need).map((item) => itemBlock(item, edition, context)),
          ]),
          changes.length > 0 && heading(words.changes.title),
          ...changes.map((change) => changeBlock(change, edition, context)),
          words.another,
        ],
        reason: words.reason(pageUrlOf(context)),
      };
    },
    samples(edition) {
      const { sums, paidAt: since } = sampleFacts(edition);
      const few = fewItems(sums.cents, since);
      return {
        usual: { day: '2025-12-23', items: few, changes: [] },
        'with-everything': {
          day: '2025-12-23',
          items: [...few, ...otherItems(sums.cents, since)],
          changes: [],
        },
        'with-changes-only': { day: '2025-12-23', items: [], changes: someChanges(since) },
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
  const { need, name, cents, part, since, reason, obstacle, count, registration: id, mail } = item;
  const why = reason ? words.reasons[reason] : obstacle && words.obstacles[obstacle];
  const isOfList = need === 'place-free' || need === 'waiting-bounced';
  const page = id
    ? { value: words.herPage, href: officePageOf(context, id) }
    : isOfList
      ? { value: words.waitingList, href: officeUrlOf(context, officePages.waiting) }
      : { value: words.lettersToAll, href: officeUrlOf(context, officePages.letters) };
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

function countWords(need: OfficeItem['need']): string {
  const { places, tooMany, payments } = words;
  if (need === 'place-free') return places;
  return need === 'overbooked' ? tooMany : payments;
}

function commandOf(need: OfficeItem['need'], id: string): string | undefined {
  const said = words.needs[need];
  return 'command' in said ? said.command(id) : undefined;
}

const registration = sampleRegistrationId(1);

const someChanges = (at: string): OfficeChange[] => [
  { registration, name: 'Wilma O’Hara', detail: 'email', was: 'old@example.org', at },
  { registration, name: 'Klara Kranz', detail: 'phoneNumber', was: '', at },
  { registration, name: 'Lena Lund', detail: 'place', was: 'Jördis Weiß', at },
];

const fewItems = (cents: number, since: string): OfficeItem[] => [
  {
    need: 'action-needed',
    reason: 'insufficient-funds',
    cents,
    since,
    name: 'Wilma O’Hara',
    registration,
  },
  { need: 'payments', count: 2 },
  { need: 'overbooked', count: 1 },
];

/** One thing of each other kind, and some of one. */
const otherItems = (cents: number, since: string): OfficeItem[] => [
  { need: 'call-back', name: 'Lena Lund', registration, since },
  { need: 'asked-to-pay', obstacle: 'no-notice', name: 'نور حداد', registration, cents, since },
  { need: 'asked-to-pay', obstacle: 'no-consent', name: 'Jördis Weiß', registration, cents },
  {
    need: 'asked-to-pay',
    obstacle: 'plan-not-agreed',
    name: 'Petra Pohl',
    registration,
    cents: 25_938,
    part: { position: 1, count: 3 },
  },
  { need: 'overdue', name: 'Frida Falk', registration, cents, since },
  { need: 'deposit-late', name: 'Clara Roe', registration, cents: 69_500, since },
  { need: 'check-overdue', name: 'Anna Berg', registration, cents: 70_000, since },
  { need: 'disputed', name: 'Carla Conti', registration },
  { need: 'paid-twice', name: 'Klara Kranz', registration, since },
  { need: 'deposit-refunded', name: 'Berta Busch', registration },
  { need: 'check-to-send', name: 'Dora Duck', registration, cents: 70_000, since },
  { need: 'refund-overdue', name: 'Greta Garn', registration, cents: 70_000, since },
  {
    need: 'letter-failed',
    name: 'Eva Ernst',
    registration,
    mail: `welcome-${registration}-0a1b2c3d`,
    since,
  },
  { need: 'bounced', name: 'Hanna Holm', registration, cents, since },
  { need: 'place-free', count: 1 },
  { need: 'waiting-bounced', name: 'Jutta Juhl', since },
  { need: 'no-room' },
];
