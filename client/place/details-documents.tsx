import { addressWords, correctWords } from '#shared/content/place-details.ts';
import { formPaths } from '#shared/place-forms.ts';
import { FormDocument, type FormDocumentProps, PlaceForm } from './form-document.tsx';
import { FormField, ProofField } from './form-field.tsx';

/** She corrects her name and phone number. The number itself is not shown: she may prove herself by it. */
export function DetailsDocument(props: FormDocumentProps) {
  const { view, sent } = props;
  const { firstName, lastName, maskedPhone } = view.registrant;
  const words = correctWords;
  return (
    <FormDocument {...props} title={words.title} lede={words.lede}>
      <PlaceForm {...props} action={formPaths.details} submit={words.submit}>
        <FormField
          name="firstName"
          label={words.firstName}
          defaultValue={sent?.typed.firstName ?? firstName}
          error={sent?.errors.firstName}
          autoComplete="given-name"
          required
        />
        <FormField
          name="lastName"
          label={words.lastName}
          defaultValue={sent?.typed.lastName ?? lastName}
          error={sent?.errors.lastName}
          autoComplete="family-name"
          required
        />
        <FormField
          name="phoneNumber"
          type="tel"
          label={words.phoneNumber}
          note={words.phoneKept(maskedPhone)}
          defaultValue={sent?.typed.phoneNumber}
          error={sent?.errors.phoneNumber}
          autoComplete="tel"
        />
        <ProofField
          kind={view.secondFactor}
          note={words.proofNote}
          typed={sent?.typed.proof}
          error={sent?.errors.proof}
        />
      </PlaceForm>
    </FormDocument>
  );
}

/** She gives another e-mail address. */
export function AddressDocument(props: FormDocumentProps) {
  const { view, sent } = props;
  const words = addressWords;
  return (
    <FormDocument {...props} title={words.title} lede={words.lede(view.registrant.email)}>
      <PlaceForm {...props} action={formPaths.address} submit={words.submit}>
        <FormField
          name="email"
          type="email"
          label={words.email}
          note={words.afterwards}
          defaultValue={sent?.typed.email}
          error={sent?.errors.email}
          autoComplete="email"
          required
        />
        <ProofField
          kind={view.secondFactor}
          note={words.proofNote}
          typed={sent?.typed.proof}
          error={sent?.errors.proof}
        />
      </PlaceForm>
    </FormDocument>
  );
}
