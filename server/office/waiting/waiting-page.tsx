import type { Told } from '#server/acts/carry-out.ts';
import { moment } from '#server/acts/plain-words.ts';
import { placesTold, type WaitingListTold } from '#server/acts/waiting-list.ts';
import { ToldView } from '#server/office/acts/told-view.tsx';
import { officePaths } from '#server/office/paths.ts';
import type { WaitingState } from '#server/record/waiting-record.ts';
import { freeOf } from '#server/register/places.ts';
import { mailLink } from '#shared/mail-link.ts';
import { type WaitingAct, waitingActs } from './waiting-acts.ts';

/** The counts of places, and the people who wait, in the order of joining. */
export function WaitingPage({ told }: { told: WaitingListTold }) {
  return (
    <>
      <table className="registration-table">
        <caption>How the places stand</caption>
        <tbody>
          {placesTold(told.places).map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {told.entries.length === 0 ? <p>Nobody waits.</p> : <Entries told={told} />}
    </>
  );
}

function Entries({ told }: { told: WaitingListTold }) {
  return (
    <ol className="waiting-entries">
      {told.entries.map(({ record, state, words }) => {
        const { firstName, lastName, email, phoneNumber } = record.registrant;
        return (
          <li key={record.id} className="waiting-entry">
            <h2>{`${firstName} ${lastName}`.trim()}</h2>
            <p>
              {words}. Joined {moment(record.joinedAt, record)}.
            </p>
            <p>
              <a href={mailLink(email)}>{email}</a>, {phoneNumber}
            </p>
            <ActLinks id={record.id} state={state} free={freeOf(told.places)} />
          </li>
        );
      })}
    </ol>
  );
}

/** Which of the two offer acts is shown depends on whether a place is free. */
function ActLinks({ id, state, free }: { id: string; state: WaitingState; free: number }) {
  const isShown = (act: WaitingAct): boolean =>
    act.states.includes(state) && act.id !== (free > 0 ? 'offer-without-place' : 'offer');
  return (
    <p className="waiting-acts">
      {waitingActs.filter(isShown).map((act) => (
        <a key={act.id} href={officePaths.waitingAct(id, act.id)}>
          {act.heading}
        </a>
      ))}
    </p>
  );
}

interface PreviewProps {
  act: WaitingAct;
  waitingId: string;
  told: Told;
  token: string;
}

/** What will happen, and the button that does it; or what was done. */
export function WaitingActPage({ act, waitingId, told, token }: PreviewProps) {
  const isDone = told.outcome === 'done';
  return (
    <>
      {told.about !== undefined && <p className="registration-fine">For {told.about}</p>}
      {told.outcome === 'changed' && (
        <Problem text="Something has changed meanwhile. Nothing was done. Now this would happen:" />
      )}
      <section className="act-preview" aria-labelledby="told">
        <h2 id="told">{isDone ? 'Done' : 'What will happen'}</h2>
        <ToldView says={told.says} />
      </section>
      {!isDone && (
        <form className="act-form" method="post" action={officePaths.waitingAct(waitingId, act.id)}>
          <input type="hidden" name="token" value={token} />
          <input type="hidden" name="seen" value={told.seen} />
          <button type="submit" className="button">
            {act.confirm}
          </button>
        </form>
      )}
      <BackToWaiting />
    </>
  );
}

/** Why nothing was done. */
export function WaitingRefused({ why }: { why: string }) {
  return (
    <>
      <Problem text={why} />
      <BackToWaiting />
    </>
  );
}

function Problem({ text }: { text: string }) {
  return (
    <div className="registration-notice registration-notice--warning" role="alert">
      <p>{text}</p>
    </div>
  );
}

function BackToWaiting() {
  return (
    <p>
      <a href={officePaths.waiting}>Back to the waiting list</a>
    </p>
  );
}
