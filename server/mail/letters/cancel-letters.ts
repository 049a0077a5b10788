import type { MailOf } from '#server/mail/job.ts';
import {
  balanceStands,
  cancelledMail,
  cancelReceivedMail,
  cancelUndoneMail,
  describeCancellingAgain,
  refundMail,
} from '#shared/content/cancel-mails.ts';
import { nameCard } from '#shared/content/card-words.ts';
import type { Edition } from '#shared/content/edition.ts';
import { tellMoment } from '#shared/content/tell-moment.ts';
import { formatDate } from '#shared/dates.ts';
import { dateAt } from '#shared/local-time.ts';
import { formatCents } from '#shared/money.ts';
import { type Block, heading, type Letter, paragraph } from './letter.ts';
import type { MessageContext } from './links.ts';
import { refundFacts } from './refund-letters.ts';
import { letterToHer, ownPageButton } from './to-her.ts';

type ReceivedMail = MailOf<'cancel-received'>;

/** Confirms that we have her cancellation, what comes back, and until when she can take it back. */
export function cancelReceived(job: ReceivedMail, edition: Edition, context: MessageContext): Letter {
  const { facts, timetable } = edition;
  const words = cancelReceivedMail;
  const writtenAt = new Date(job.writtenAt);
  const intro = job.onPage
    ? words.onPage(tellMoment(writtenAt, timetable, job.timeZone), facts)
    : words.byOffice(dateAt(writtenAt, timetable.timeZone.id), facts);
  const sum = sumOf(job);
  return letterToHer(
    {
      subject: words.subject(facts),
      preheader: words.preheader(sum),
      title: words.title,
      blocks: [
        paragraph(`${intro} ${words.sorry}`),
        heading(refundMail.title),
        ...(sum ? [] : [paragraph(refundMail.byPolicy)]),
        { kind: 'facts', facts: refundFacts(job) },
        ...whenGivenBack(job, edition),
        ...undo(job, edition, context),
        ownPageButton(job, edition, context),
      ],
    },
    job,
    edition,
    context,
  );
}

/** Confirms that her place is kept, and the state of the balance. */
export function cancelUndone(
  job: MailOf<'cancel-undone'>,
  edition: Edition,
  context: MessageContext,
): Letter {
  const words = cancelUndoneMail;
  return letterToHer(
    {
      subject: words.subject(edition.facts),
      preheader: words.preheader,
      title: words.title,
      blocks: [
        paragraph(words.intro(edition.facts)),
        paragraph(balanceStands[job.standing](job)),
        ownPageButton(job, edition, context),
      ],
      questions: words.notYou(context.office),
    },
    job,
    edition,
    context,
  );
}

/** Confirms that her place has ended, what is on its way to her, and what the retreat keeps. */
export function cancelComplete(job: MailOf<'cancelled'>, edition: Edition, context: MessageContext): Letter {
  const { facts, timetable } = edition;
  const words = cancelledMail;
  const { writtenAt, cardCents, checkCents, card } = job;
  const date = writtenAt && dateAt(new Date(writtenAt), timetable.timeZone.id);
  const sum = sumOf(job);
  const by = cardCents > 0 ? 'card' : 'check';
  return letterToHer(
    {
      subject: words.subject(facts),
      preheader: sum ? words.preheader[by](sum) : words.preheader.nothing,
      title: words.title,
      blocks: [
        paragraph(words.intro(date, facts)),
        ...(cardCents > 0 ? [paragraph(words.given(formatCents(cardCents), card && nameCard(card)))] : []),
        ...(checkCents > 0 ? [paragraph(words.check(formatCents(checkCents)))] : []),
        ...(sum ? [] : [paragraph(refundMail.byPolicy)]),
        { kind: 'facts', facts: refundFacts(job) },
        paragraph(words.again),
        ownPageButton(job, edition, context),
      ],
    },
    job,
    edition,
    context,
  );
}

/** The total refund; undefined when there is none. */
function sumOf({
  cardCents,
  checkCents,
}: Pick<ReceivedMail, 'cardCents' | 'checkCents'>): string | undefined {
  const cents = cardCents + checkCents;
  return cents > 0 ? formatCents(cents) : undefined;
}

function whenGivenBack(job: ReceivedMail, { timetable }: Edition): Block[] {
  const { when } = cancelReceivedMail;
  if (!sumOf(job)) return [];
  if (job.isDisputed) return [paragraph(when.disputed)];
  if (!job.workedOffFrom) return [paragraph(when.soon)];
  const day = formatDate(dateAt(new Date(job.workedOffFrom), timetable.timeZone.id));
  const from = job.cardCents > 0 ? when.card(day) : when.check(day);
  return [paragraph(`${from}${job.undoUntil ? when.onceFinal : '.'}`)];
}

function undo(
  { undoUntil, timeZone, cardCents, checkCents }: ReceivedMail,
  edition: Edition,
  { office }: MessageContext,
): Block[] {
  if (!undoUntil) return [];
  const until = new Date(undoUntil);
  const words = cancelReceivedMail.undo(tellMoment(until, edition.timetable, timeZone), office);
  const again = describeCancellingAgain(cardCents + checkCents, until, edition);
  return [heading(cancelReceivedMail.undoTitle), paragraph(again ? `${words} ${again}` : words)];
}
