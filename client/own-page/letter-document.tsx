import { dayOf } from '#shared/content/own-page-plan.ts';
import type { OwnPageLetter, OwnPageView } from '#shared/content/own-page-view.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { type PageProps, Sheet } from './parts.tsx';

const words = ownPageWords.letters;

interface Props extends PageProps {
  view: OwnPageView;
  letter: Pick<OwnPageLetter, 'subject' | 'at'>;
  said: string;
}

export function LetterDocument({ view, letter: { subject, at }, said, look }: Props) {
  return (
    <Sheet view={view} look={look} title={subject}>
      <p>
        {at && words.sentOn(dayOf(at, view))}. {words.kept}
      </p>
      <div className="letter-said">
        {said
          .trim()
          .split(/\n{2,}/)
          .map(paragraph)}
      </div>
    </Sheet>
  );
}

/** Of the plain text of a letter, in which a heading is underlined and the signature follows a line of its own. */
function paragraph(text: string) {
  const [first = '', second = ''] = text.split('\n');
  if (/^(=+|-+)$/.test(second)) return <h2 key={text}>{first}</h2>;
  return <p key={text}>{text.replace(/^-- \n/, '')}</p>;
}
