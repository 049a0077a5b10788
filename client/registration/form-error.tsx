import { OfficeEmailLink, OfficePhoneLink } from '#client/ui/office-links.tsx';
import { registrationCopy } from '#shared/content/registration.ts';

/** What is wrong with the whole form, announced when it appears (R3.5), and who helps. */
export function FormError({ error }: { error: string | undefined }) {
  return (
    <>
      <p className="form-error" role="alert">
        {error}
      </p>
      {error && (
        <p className="form-help">
          {registrationCopy.errorHelp} <OfficePhoneLink />, <OfficeEmailLink />
        </p>
      )}
    </>
  );
}
