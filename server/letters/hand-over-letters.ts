import { factsOfAct, linkDigest, nameOf, pendingHandOver } from '#server/registration/registration.ts';
import { tellMoment } from '#shared/content/moments.ts';
import type { LetterKinds } from './letter-kind.ts';
import { button } from './render/letter.ts';
import { cleanName, isolate, safeName } from './render/names.ts';
import { callOrWrite, daysOf, pageButton, pageUrlOf, type Writing } from './render/parts.ts';

const named = (name: string): string => isolate(safeName(cleanName(name)));

export const handOverLetters = {
  'hand-over-asked': {
    name: 'Please agree to handing over your place',
    subject: ({ facts }) => `Are you giving your place to someone else? ${facts.title}`,
    due(record, now) {
      const pending = pendingHandOver(record, now);
      if (!pending || pending.agreedAt) return undefined;
      return {
        at: pending.at,
        says(w) {
          const who = named(nameOf(pending)) || 'someone else';
          return {
            title: 'Are you giving your place to someone else?',
            blocks: [
              `The retreat office has noted that you want to give your place in ${w.title} to ${who}. If that is right, please open your page, read what it means, and agree.`,
              pageButton(record, w, 'See what it means'),
              `We then e-mail ${who}, who gets the place by accepting the terms by ${endOfDayBefore(pending.until, w)}. Until then the place is yours, and you can change your mind.`,
              'If that is not right, there is nothing you need to do: nothing changes unless you agree.',
            ],
          };
        },
      };
    },
  },

  'hand-over-offered': {
    to: 'elsewhere',
    name: 'To somebody else: a place is handed over to you',
    subject: ({ facts }) => `Someone is giving you their place: ${facts.title}`,
    due(record, now) {
      const pending = pendingHandOver(record, now);
      if (!pending?.agreedAt) return undefined;
      const { agreedAt, email, firstName, lastName, until: expiresAt } = pending;
      return {
        key: [agreedAt],
        at: agreedAt,
        to: { email, firstName, lastName },
        says(w) {
          const { id: subject, linksEpoch: epoch, registrant } = record;
          const digest = linkDigest(email, pending.at);
          const href = w.links.url('take', { subject, epoch, digest, expiresAt });
          const days = daysOf(w.edition);
          return {
            title: 'A place for you',
            blocks: [
              `${named(registrant.firstName) || 'Someone'} is giving you a place in ${w.title}, ${days}. The link opens a page that shows what is paid, what is left to pay, and the terms. The place is yours once you accept them there.`,
              button('See the place', href),
              `The link works until ${endOfDayBefore(expiresAt, w)}. Anyone who has it can take the place, so please keep it to yourself.`,
              'If you don’t want the place, there is nothing you need to do: nothing changes unless you accept.',
            ],
            reason: `You received this e-mail because someone with a place at ${pageUrlOf(w)} wants you to have it.`,
          };
        },
      };
    },
  },

  'handed-away': {
    to: 'elsewhere',
    name: 'To who had the place: it is handed over',
    newsDays: 30,
    subject: ({ facts }) => `Your place has been passed on: ${facts.title}`,
    due({ acts, registrant, deposit }) {
      if (deposit !== 'paid') return undefined;
      const all = acts.filter(({ kind }) => kind === 'handed-over');
      return all.flatMap((act, index) => {
        const { firstName, lastName, email, at } = factsOfAct(act, 'handed-over');
        if (!email) return [];
        const next = all[index + 1];
        const taker = next ? factsOfAct(next, 'handed-over') : registrant;
        return {
          key: [act.id],
          at,
          to: { email, firstName, lastName },
          says: (w) => ({
            title: 'Your place has been passed on',
            blocks: [
              `${named(nameOf(taker)) || 'Someone else'} accepted your place in ${w.title} on ${tellMoment(at, w.edition.timetable)}. Your registration has now ended: your page is closed, the links in our e-mails no longer work, and your card will not be charged again.`,
              'What you have paid stays with the place. Any money between the two of you is up to you.',
              'Thank you for finding someone to come in your place. This is our last e-mail about it, unless something of what you paid comes back to your card.',
            ],
            questions: `If that is not right, please ${callOrWrite(w)}.`,
            reason: `You received this e-mail because you had a place at ${pageUrlOf(w)}.`,
          }),
        };
      });
    },
  },
} satisfies LetterKinds;

function endOfDayBefore(until: Date, { day }: Writing): string {
  return `the end of ${day(new Date(until.getTime() - 1))}`;
}
