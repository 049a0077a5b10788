import { detailsWords as words } from '#shared/content/own-page-details.ts';
import type { OwnPageView } from '#shared/content/own-page-view.ts';
import { formPaths } from '#shared/own-page-forms.ts';

/** Her details, and links to the forms that correct them. */
export function DetailsSection({ view }: { view: OwnPageView }) {
  const { registrant, askedAddress, mayAct } = view;
  const { firstName, lastName, email, maskedPhone } = registrant;
  const rows = [
    [words.name, `${firstName} ${lastName}`],
    [words.email, email],
    [words.phone, maskedPhone],
  ];
  return (
    <section className="place-details" aria-labelledby="details">
      <h2 id="details">{words.title}</h2>
      <dl>
        {rows.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {askedAddress && (
        <div className="place-note">
          <p>{words.asked(askedAddress)}</p>
          {mayAct && (
            <p className="place-press">
              <a className="button button--quiet" href={formPaths.addressDropped}>
                {words.drop}
              </a>
            </p>
          )}
        </div>
      )}
      {mayAct && (
        <ul className="place-links">
          <li>
            <a href={formPaths.details}>{words.correct}</a>
          </li>
          <li>
            <a href={formPaths.address}>{askedAddress ? words.askAgain : words.changeAddress}</a>
          </li>
        </ul>
      )}
    </section>
  );
}
