import { officeLettersPath, officeWaitingPath } from '#server/links/office-links.ts';
import { type OfficeItem, officeNeeds } from '#server/mail/job-facts.ts';
import type { Edition } from '#shared/content/edition.ts';
import { officeDigestMail as words } from '#shared/content/office-digest-words.ts';
import { nameOfPart } from '#shared/content/tuition.ts';
import { dateAt, formatDate } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { type SomeLetters, sampleFacts } from './letter-kind.ts';
import { type Block, factTable, heading } from './render/letter.ts';
import { type MessageContext, officePageOf, officeUrlOf, pageUrlOf } from './render/links.ts';
import { isolate } from './render/names.ts';

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

const fewItems = (cents: number, since: string): OfficeItem[] => [
  {
    need: 'action-needed',
    reason: 'insufficient-funds',
    cents,
    since,
    name: 'Wilma O’Hara',
    paymentIntentId: 'pi_1',
  },
  { need: 'payments', count: 2 },
  { need: 'overbooked', count: 1 },
];

const paymentIntentId = 'pi_3Sample00000000000000001';

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
    part: { number: 1, position: 1, count: 3 },
  },
  { need: 'overdue', name: 'Frida Falk', paymentIntentId, cents, since },
  { need: 'deposit-late', name: 'Clara Roe', paymentIntentId, cents: 69_500, since },
  { need: 'check-overdue', name: 'Anna Berg', paymentIntentId, cents: 70_000, since },
  { need: 'disputed', name: 'Carla Conti', paymentIntentId },
  { need: 'second-payment', name: 'Klara Kranz', paymentIntentId, cents: 72_100, since },
  { need: 'deposit-refunded', name: 'Berta Busch', paymentIntentId },
  { need: 'check-to-send', name: 'Dora Duck', paymentIntentId, cents: 70_000, since },
  { need: 'refund-overdue', name: 'Greta Garn', paymentIntentId, cents: 70_000, since },
  { need: 'letter-failed', name: 'Eva Ernst', paymentIntentId, mail: 'welcome-pi_1-0a1b2c3d', since },
  { need: 'bounced', name: 'Hanna Holm', paymentIntentId, cents, since },
  { need: 'complained', name: 'Ida Iversen', paymentIntentId, since },
  { need: 'place-free', count: 1 },
  { need: 'waiting-bounced', name: 'Jutta Juhl', since },
  { need: 'no-room' },
];
