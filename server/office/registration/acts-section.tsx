import { mayDo } from '#server/acts/act.ts';
import { officeActs } from '#server/acts/office-acts.ts';
import { actGroups, type Situation } from '#server/acts/registration-act.ts';
import { sentence as asSentence } from '#server/acts/words.ts';
import { Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import type { SignedIn } from '#server/users/user.ts';

/** What can be done about a registration now, and what cannot, with the reason. */
export function ActsSection({ situation, signedIn: { user } }: { situation: Situation; signedIn: SignedIn }) {
  const { record } = situation;
  const acts = officeActs.filter((act) => mayDo(user, act));
  const judged = acts.map((act) => ({ act, whyNot: act.whyNot(situation) }));
  const possible = judged.filter(({ whyNot }) => whyNot === undefined).map(({ act }) => act);
  const others = judged.filter(({ whyNot }) => whyNot !== undefined);
  return (
    <Section className="registration-section" id="acts" title="What you can do">
      <p className="registration-fine">
        Each shows first what will happen. Nothing is done before you confirm it.
      </p>
      <div className="act-groups">
        {Object.entries(actGroups).map(([group, title]) => (
          <ActList
            key={group}
            title={title}
            acts={possible
              .filter((act) => act.group === group)
              .map(({ id, heading, sentence }) => [officePaths.act(record.id, id), heading, sentence])}
          />
        ))}
        <ActList
          title="Papers"
          acts={[
            [
              officePaths.evidence(record.id),
              'Evidence for her bank',
              'All that is on record and that a bank may ask for in a dispute, as text to be copied.',
            ],
            [
              officePaths.export(record.id),
              'Her data',
              'All that is kept about her, with your notes, for when she asks for it.',
            ],
          ]}
        />
      </div>
      {others.length > 0 && (
        <details className="not-now">
          <summary>Not possible now ({others.length})</summary>
          <dl>
            {others.map(({ act, whyNot = '' }) => (
              <div key={act.id}>
                <dt>{act.heading}</dt>
                <dd>{asSentence(whyNot)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </Section>
  );
}

interface ActListProps {
  title: string;
  acts: readonly (readonly [path: string, heading: string, sentence: string])[];
}

function ActList({ title, acts }: ActListProps) {
  if (acts.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul className="act-list">
        {acts.map(([path, heading, words]) => (
          <li key={path}>
            <a href={path}>{heading}</a>
            <p>{words}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
