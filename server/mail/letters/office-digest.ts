import type { MailOf } from '#server/mail/job.ts';
import { type OfficeItem, officeNeeds } from '#server/mail/job-facts.ts';
import type { Edition } from '#shared/content/edition.ts';
import { officeDigestMail } from '#shared/content/office-digest-words.ts';
import { formatDate } from '#shared/dates.ts';
import { dateAt } from '#shared/local-time.ts';
import { formatCents } from '#shared/money.ts';
import { type Block, heading, type Letter, paragraph } from './letter.ts';
import { type MessageContext, officePageOf, officeWaitingPageOf, pageUrlOf } from './links.ts';
import { isolate } from './names.ts';

/** To the office: everything that needs it, grouped by what it has to do. */
export function officeDigest(
  { items, day }: MailOf<'office-digest'>,
  edition: Edition,
  context: MessageContext,
): Letter {
  const { facts } = edition;
  const words = officeDigestMail;
  const needed = officeNeeds.filter((need) => items.some((item) => item.need === need));
  return {
    subject: words.subject(items.length, facts),
    preheader: words.preheader(needed.map((need) => words.needs[need].title)),
    title: words.title(day),
    blocks: [
      paragraph(words.intro(facts)),
      ...needed.flatMap((need) => [
        heading(words.needs[need].title),
        paragraph(words.needs[need].whatToDo),
        ...items.filter((item) => item.need === need).map((item) => itemBlock(item, edition, context)),
      ]),
      paragraph(words.another),
    ],
    signature: facts.siteName,
    reason: words.reason(pageUrlOf(context)),
  };
}

/**
 * Who the item is about, how much and since when, and the office's page of her registration, or else the
 * command that helps.
 */
function itemBlock(
  item: OfficeItem,
  { facts: { id: edition }, timetable }: Edition,
  context: MessageContext,
): Block {
  const words = officeDigestMail;
  const { need, name, cents, since, reason, obstacle, count, paymentIntentId: id, mail } = item;
  const why = reason ? words.reasons[reason] : obstacle && words.obstacles[obstacle];
  const page = id && officePageOf(context, id);
  const isOfList = need === 'place-free' || need === 'waiting-bounced';
  const listPage = isOfList ? officeWaitingPageOf(context) : undefined;
  const day = since && formatDate(dateAt(new Date(since), timetable.timeZone.id));
  const said: [label: string, value: string | undefined][] = [
    [words.name, name && isolate(name)],
    [countWords(need), count?.toString()],
    [words.sum, cents === undefined ? undefined : formatCents(cents)],
    [words.since, day],
    [words.why, why],
    [words.letter, mail],
    [words.command, page ? undefined : id && commandOf(need, id)],
  ];
  if (isOfList && !listPage) said.push([words.command, words.needs[need].command(edition)]);
  const facts = said.flatMap(([label, value]) =>
    value ? [{ label, value, strong: label === words.name }] : [],
  );
  const link = page ? [{ label: words.open, value: words.herPage, href: page }] : [];
  const list = listPage ? [{ label: words.open, value: words.waitingList, href: listPage }] : [];
  return { kind: 'facts', facts: [...facts, ...link, ...list] };
}

/** The label of an item's count. */
function countWords(need: OfficeItem['need']): string {
  const { places, tooMany, payments } = officeDigestMail;
  if (need === 'place-free') return places;
  return need === 'overbooked' ? tooMany : payments;
}

function commandOf(need: OfficeItem['need'], id: string): string | undefined {
  const words = officeDigestMail.needs[need];
  return 'command' in words ? words.command(id) : undefined;
}
