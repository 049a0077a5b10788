import type { Facts } from '#shared/content/edition.ts';
import { addressWords, confirmWords, correctWords } from '#shared/content/own-page-details.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import type { OfficeContact } from '#shared/page.ts';
import { FormDocument, type FormDocumentProps, ProofForm } from './form-document.tsx';
import { FormField } from './form-field.tsx';
import { LinkFrame } from './link-frame.tsx';

/** The form for her name and phone number. The number is masked: its last digits can be her proof. */
export function DetailsDocument(props: FormDocumentProps) {
  const { view, sent } = props;
  const { firstName, lastName, maskedPhone } = view.registrant;
  const words = correctWords;
  return (
    <FormDocument {...props} title={words.title} lede={words.lede}>
      <ProofForm {...props} action={formPaths.details} words={words}>
        <FormField
          name="firstName"
          label={words.firstName}
          defaultValue={firstName}
          sent={sent}
          autoComplete="given-name"
          required
        />
        <FormField
          name="lastName"
          label={words.lastName}
          defaultValue={lastName}
          sent={sent}
          autoComplete="family-name"
          required
        />
        <FormField
          name="phoneNumber"
          type="tel"
          label={words.phoneNumber}
          note={words.phoneKept(maskedPhone)}
          sent={sent}
          autoComplete="tel"
        />
      </ProofForm>
    </FormDocument>
  );
}

/** The form in which she changes her e-mail address. */
export function AddressDocument(props: FormDocumentProps) {
  const { view, sent } = props;
  const words = addressWords;
  return (
    <FormDocument {...props} title={words.title} lede={words.lede(view.registrant.email)}>
      <ProofForm {...props} action={formPaths.address} words={words}>
        <FormField
          name="email"
          type="email"
          label={words.email}
          note={words.afterwards}
          sent={sent}
          autoComplete="email"
          required
        />
      </ProofForm>
    </FormDocument>
  );
}

interface ConfirmDocumentProps {
  facts: Pick<Facts, 'siteName'>;
  /** The address, in full: the letter with this link was sent to it. */
  address: string;
  /** The token of the link; absent once the address is confirmed. */
  link?: string;
  office: OfficeContact;
  styles: readonly string[];
}

/** The page that the letter to a new address links to: a button that confirms it, and then the result. */
export function ConfirmDocument({ facts, address, link, office, styles }: ConfirmDocumentProps) {
  const title = link ? confirmWords.title : confirmWords.doneTitle;
  return (
    <LinkFrame
      siteName={facts.siteName}
      title={title}
      help={confirmWords.help}
      office={office}
      styles={styles}
    >
      <p className="place-address">{address}</p>
      <p className="lede" role={link ? undefined : 'status'}>
        {link ? confirmWords.text(facts.siteName) : confirmWords.done}
      </p>
      <form method="post" action={link ? formPaths.addressConfirmed : ownPagePaths.link}>
        {link ? (
          <input type="hidden" name="link" value={link} />
        ) : (
          <input type="hidden" name="email" value={address} />
        )}
        <button type="submit" className="button">
          {link ? confirmWords.submit : confirmWords.newLink}
        </button>
      </form>
    </LinkFrame>
  );
}
