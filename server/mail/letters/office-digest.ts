import type { MailOf } from '#server/mail/job.ts';
import { type OfficeItem, officeNeeds } from '#server/mail/job-facts.ts';
import type { Edition } from '#shared/content/edition.ts';
import { officeDigestMail } from '#shared/content/office-digest-words.ts';
import { formatDate } from '#shared/dates.ts';
import { dateAt } from '#shared/local-time.ts';
import { formatCents } from '#shared/money.ts';
import { type Block, heading, type Letter, paragraph } from './letter.ts';
import { type MessageContext, pageUrlOf } from './links.ts';
import { isolate } from './names.ts';

/** To the office: all that needs it, by what it has to do. */
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
        ...items.filter((item) => item.need === need).map((item) => itemBlock(item, edition)),
      ]),
      paragraph(words.another),
    ],
    signature: facts.siteName,
    reason: words.reason(pageUrlOf(context)),
  };
}

/** Who it is about, how much and since when; below it the command that goes on with it. */
function itemBlock(item: OfficeItem, { timetable }: Edition): Block {
  const words = officeDigestMail;
  const { need, name, cents, since, reason, obstacle, count, paymentIntentId, mail } = item;
  const facts = [
    ...(name ? [isolate(name)] : []),
    ...(cents ? [formatCents(cents)] : []),
    ...(since ? [words.since(formatDate(dateAt(new Date(since), timetable.timeZone.id)))] : []),
    ...(obstacle ? [words.obstacles[obstacle]] : []),
    ...(reason ? [words.reasons[reason]] : []),
    ...(mail ? [mail] : []),
  ];
  const lines = [
    ...(count === undefined ? [facts.join(', ')] : [words.count(count)]),
    ...(need !== 'payments' && paymentIntentId ? [words.needs[need].command(paymentIntentId)] : []),
  ];
  return paragraph(lines.join('\n'));
}
