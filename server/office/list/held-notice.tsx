import { Moment } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import type { HeldRegister } from '#server/registration/registration.ts';
import type { Edition } from '#shared/content/edition.ts';

/** Why nothing goes out, and what the office does first. */
export function HeldNotice({ held, record }: { held: HeldRegister; record: { edition: Edition } }) {
  const { since, why, added } = held;
  return (
    <div className="notice notice--warning" role="alert">
      <p>
        No message, charge or refund goes out since <Moment at={since} record={record} />. {why} Please tell
        the person who looks after the site. Enter again what your own messages of the last hours tell: notes,
        plans, checks. Then <code>support release</code> ends this.
      </p>
      {added.length > 0 && (
        <>
          <p>
            These registrations were added from Stripe. They are asked for the balance, and never charged:
          </p>
          <ul>
            {added.map(({ id, name }) => (
              <li key={id}>
                <a href={officePaths.registration(id)}>{name}</a>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
