import { wayInMail } from '#shared/content/retreat-mails.ts';
import type { Story } from './account.ts';
import type { DatedMail } from './ledger.ts';
import { wayInOf } from './retreat-letters.ts';
import { isCancelledAt, settledAt } from './story-at.ts';

/**
 * What a letter about the retreat itself says that was not true while the letter was in flight; undefined
 * when everything was true.
 */
export function untruthOfRetreat(kind: string, mail: DatedMail, story: Story): string | undefined {
  const { at, underWaySince: since, text } = mail;
  const { person, paidAt = Number.POSITIVE_INFINITY, announced } = story;
  const { retreat, moments } = person.edition;
  if (at < paidAt) return 'the deposit is not paid';
  if (isCancelledAt(story, since) && isCancelledAt(story, at)) return 'she cancelled';
  const isPast = (until: number) => (since >= until ? 'it is past' : undefined);
  const announcedAt = Math.min(
    ...announced.filter(({ what }) => what === kind).map(({ askedAt }) => askedAt),
  );
  switch (kind) {
    case 'test-session':
      if (at < retreat.testSession.from) return 'it comes before its time';
      return isPast(retreat.testSession.until);
    case 'way-in': {
      const day = wayInOf(mail.subject, retreat);
      if (!day) return 'there is no such day';
      if (at < day.from) return 'it comes before its time';
      return isPast(day.until) ?? untruthOfWayIn(text, since, at, story);
    }
    case 'schedule-changed':
      if (at < announcedAt) return 'nothing was announced';
      return isPast(moments.ends);
    case 'recordings':
      if (at < (retreat.recordings ?? Number.POSITIVE_INFINITY)) return 'it comes before its time';
      if (at < announcedAt) return 'there are no recordings';
      return at < settledAt(story) ? 'she owes the balance' : undefined;
    default:
      return undefined;
  }
}

function untruthOfWayIn(text: string, since: number, at: number, story: Story): string | undefined {
  const settled = settledAt(story);
  const [isOpen, isOwing] = [text.includes(wayInMail.open), text.includes(wayInMail.owing)];
  if (isOpen === isOwing) return 'it does not say whether the room is open to her';
  if (isOpen) return at < settled ? 'it says open, and she owes the balance' : undefined;
  if (since > story.disputedAt) return 'it asks for the balance, and she disputes it';
  return since > settled ? 'it asks for the balance, and it is paid' : undefined;
}
