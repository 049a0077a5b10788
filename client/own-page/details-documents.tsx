import { addressWords, correctWords } from '#shared/content/own-page-details.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { FormDocument, type FormDocumentProps, OwnPageForm } from './form-document.tsx';
import { FormField, ProofField } from './form-field.tsx';

/** The form for her name and phone number. The number is masked: its last digits can be her proof. */
export function DetailsDocument(props: FormDocumentProps) {
  const { view, sent } = props;
  const { firstName, lastName, maskedPhone } = view.registrant;
  const words = correctWords;
  return (
    <FormDocument {...props} title={words.title} lede={words.lede}>
      <OwnPageForm {...props} action={formPaths.details} submit={words.submit}>
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
        <ProofField kind={view.secondFactor} note={words.proofNote} sent={sent} />
      </OwnPageForm>
    </FormDocument>
  );
}

/** The form in which she changes her e-mail address. */
export function AddressDocument(props: FormDocumentProps) {
  const { view, sent } = props;
  const words = addressWords;
  return (
    <FormDocument {...props} title={words.title} lede={words.lede(view.registrant.email)}>
      <OwnPageForm {...props} action={formPaths.address} submit={words.submit}>
        <FormField
          name="email"
          type="email"
          label={words.email}
          note={words.afterwards}
          sent={sent}
          autoComplete="email"
          required
        />
        <ProofField kind={view.secondFactor} note={words.proofNote} sent={sent} />
      </OwnPageForm>
    </FormDocument>
  );
}
