import { Entries } from '#client/ui/texts.tsx';
import { detailsWords as words } from '#shared/content/own-page-details.ts';
import type { OwnPageView } from '#shared/content/own-page-view.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { PressLink, Section } from './parts.tsx';

/** Her details, and links to the forms that correct them. */
export function DetailsSection({ view }: { view: OwnPageView }) {
  const { registrant, askedAddress, mayAct } = view;
  const { firstName, lastName, email, maskedPhone } = registrant;
  const rows = [
    { title: words.name, text: `${firstName} ${lastName}` },
    { title: words.email, text: email },
    { title: words.phone, text: maskedPhone },
  ];
  return (
    <Section className="place-details" id="details" title={words.title}>
      <dl>
        <Entries of={rows} />
      </dl>
      {askedAddress && (
        <div className="place-note">
          <p>{words.asked(askedAddress)}</p>
          {mayAct && <PressLink href={formPaths.addressDropped}>{words.drop}</PressLink>}
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
    </Section>
  );
}
