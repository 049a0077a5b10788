import { Entries } from '#client/ui/texts.tsx';
import type { Facts } from '#shared/content/edition.ts';
import {
  addressWords,
  confirmWords,
  correctWords,
  dataWords,
  detailsWords,
} from '#shared/content/own-page-form-words.ts';
import type { OwnPageView } from '#shared/content/own-page-view.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { formPaths, ownPagePaths } from '#shared/own-page.ts';
import { type FormDocumentProps, FormField, FormPage } from './form-document.tsx';
import { LinkFrame, type PageProps, PostForm, PressLink, Section } from './parts.tsx';

export function DetailsSection({ view }: { view: OwnPageView }) {
  const { registrant, askedAddress, mayAct } = view;
  const { firstName, lastName, email, maskedPhone } = registrant;
  const rows = [
    { title: detailsWords.name, text: `${firstName} ${lastName}` },
    { title: detailsWords.email, text: email },
    { title: detailsWords.phone, text: maskedPhone },
  ];
  return (
    <Section className="place-details" id="details" title={detailsWords.title}>
      <dl>
        <Entries of={rows} />
      </dl>
      {askedAddress && (
        <div className="place-note">
          <p>{detailsWords.asked(askedAddress)}</p>
          {mayAct && <PressLink href={formPaths.addressDropped}>{detailsWords.drop}</PressLink>}
        </div>
      )}
      {mayAct && (
        <ul className="place-links">
          <li>
            <a href={formPaths.details}>{detailsWords.correct}</a>
          </li>
          <li>
            <a href={formPaths.address}>
              {askedAddress ? detailsWords.askAgain : detailsWords.changeAddress}
            </a>
          </li>
          <li>
            <a href={formPaths.data}>{dataWords.link}</a>
          </li>
        </ul>
      )}
    </Section>
  );
}

/** The form for her name and phone number. The number is masked: its last digits can be her proof. */
export function DetailsDocument(props: FormDocumentProps) {
  const { firstName, lastName, maskedPhone } = props.view.registrant;
  const words = correctWords;
  const { contact } = registrationCopy;
  const given = { defaultValue: firstName, autoComplete: 'given-name', required: true };
  const family = { defaultValue: lastName, autoComplete: 'family-name', required: true };
  const phone = { type: 'tel', autoComplete: 'tel', note: words.phoneKept(maskedPhone) };
  return (
    <FormPage {...props} action={formPaths.details} words={words}>
      <FormField name="firstName" label={contact.firstName} {...given} sent={props.sent} />
      <FormField name="lastName" label={contact.lastName} {...family} sent={props.sent} />
      <FormField name="phoneNumber" label={contact.phoneNumber} {...phone} sent={props.sent} />
    </FormPage>
  );
}

export function AddressDocument(props: FormDocumentProps) {
  const words = { ...addressWords, lede: addressWords.lede(props.view.registrant.email) };
  const email = { type: 'email', autoComplete: 'email', required: true };
  return (
    <FormPage {...props} action={formPaths.address} words={words}>
      <FormField name="email" label={words.email} {...email} note={words.afterwards} sent={props.sent} />
    </FormPage>
  );
}

interface ConfirmDocumentProps extends PageProps {
  facts: Pick<Facts, 'siteName'>;
  address: string;
  link?: string | undefined;
}

export function ConfirmDocument({ facts, address, link, ...page }: ConfirmDocumentProps) {
  const { siteName } = facts;
  const { title, doneTitle, help } = confirmWords;
  return (
    <LinkFrame {...page} siteName={siteName} title={link ? title : doneTitle} help={help}>
      <p className="place-address">{address}</p>
      <p className="lede" role={link ? undefined : 'status'}>
        {link ? confirmWords.text(siteName) : confirmWords.done}
      </p>
      <PostForm
        action={link ? formPaths.addressConfirmed : ownPagePaths.link}
        hidden={link ? { link } : { email: address }}
        submit={link ? confirmWords.submit : confirmWords.newLink}
      />
    </LinkFrame>
  );
}
