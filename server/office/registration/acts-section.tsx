import { sentence } from '#server/acts/plain-words.ts';
import { mayDo } from '#server/office/acts/office-act.ts';
import { officePaths } from '#server/office/paths.ts';
import type { SignedIn } from '#server/users/user.ts';
import { officeActs } from './office-acts.ts';
import { type ActGroup, actGroups, type RegistrationAct, type Situation } from './registration-act.ts';
import { Section } from './section.tsx';

/** What can be done about a registration now, and what cannot, with the reason. */
export function ActsSection({ situation, signedIn: { user } }: { situation: Situation; signedIn: SignedIn }) {
  const acts = officeActs.filter((act) => mayDo(user, act));
  const judged = acts.map((act) => ({ act, whyNot: act.whyNot(situation) }));
  const possible = judged.filter(({ whyNot }) => whyNot === undefined).map(({ act }) => act);
  const others = judged.filter(({ whyNot }) => whyNot !== undefined);
  return (
    <Section id="acts" title="What you can do">
      <p className="registration-fine">
        Each shows first what will happen. Nothing is done before you confirm it.
      </p>
      <div className="act-groups">
        {groupNames.map((group) => (
          <ActList
            key={group}
            group={group}
            acts={possible.filter((act) => act.group === group)}
            id={situation.record.id}
          />
        ))}
        <div>
          <h3>Papers</h3>
          <ul className="act-list">
            <li>
              <a href={officePaths.evidence(situation.record.id)}>Evidence for her bank</a>
              <p>All that is on record and that a bank may ask for in a dispute, as text to be copied.</p>
            </li>
            <li>
              <a href={officePaths.export(situation.record.id)}>Her data</a>
              <p>All that is kept about her, with your notes, for when she asks for it.</p>
            </li>
          </ul>
        </div>
      </div>
      {others.length > 0 && (
        <details className="not-now">
          <summary>Not possible now ({others.length})</summary>
          <dl>
            {others.map(({ act, whyNot = '' }) => (
              <div key={act.id}>
                <dt>{act.heading}</dt>
                <dd>{sentence(whyNot)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </Section>
  );
}

const groupNames: readonly ActGroup[] = [
  ...(['money', 'cancelling', 'notes', 'details', 'letters', 'link', 'support'] as const),
];

function ActList({ group, acts, id }: { group: ActGroup; acts: readonly RegistrationAct[]; id: string }) {
  if (acts.length === 0) return null;
  return (
    <div>
      <h3>{actGroups[group]}</h3>
      <ul className="act-list">
        {acts.map((act) => (
          <li key={act.id}>
            <a href={officePaths.act(id, act.id)}>{act.heading}</a>
            <p>{act.sentence}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
