import { registrationCopy } from '#shared/content/registration.ts';
import { listCountries, needsPostalCode, needsState } from '#shared/countries.ts';
import { type FieldProps, FormField, useFieldValue } from './form.tsx';
import { controlProps, FieldFrame, TextField } from './form-field.tsx';

const copy = registrationCopy.payment;

export function AddressFields({ form }: { form: string }) {
  const country = useFieldValue(form, 'addressCountry');
  const postalCodeNeeded = needsPostalCode(country);
  const stateNeeded = needsState(country);
  return (
    <div className="address-fields">
      <TextField name="addressLine1" label={copy.addressLine1} autoComplete="billing address-line1" />
      <TextField
        name="addressLine2"
        label={copy.addressLine2}
        required={false}
        autoComplete="billing address-line2"
      />
      <FormField name="addressCountry" label={copy.addressCountry} component={CountrySelect} />
      <TextField name="addressCity" label={copy.addressCity} autoComplete="billing address-level2" />
      <TextField
        name="addressState"
        label={stateNeeded ? copy.addressState : copy.optional(copy.addressState)}
        required={stateNeeded}
        autoComplete="billing address-level1"
      />
      <TextField
        name="addressPostalCode"
        label={postalCodeNeeded ? copy.addressPostalCode : copy.optional(copy.addressPostalCode)}
        required={postalCodeNeeded}
        autoComplete="billing postal-code"
        autoCapitalize="characters"
        spellCheck={false}
        enterKeyHint="done"
      />
    </div>
  );
}

const countries = listCountries();

function CountrySelect({ input, meta, label }: FieldProps & { label: string }) {
  return (
    <FieldFrame name={input.name} label={label} meta={meta}>
      <select
        {...input}
        {...controlProps(input.name, meta)}
        className="field__control"
        autoComplete="billing country"
      >
        <option value="">{copy.chooseCountry}</option>
        {countries.map(({ code, label: country }) => (
          <option key={code} value={code}>
            {country}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}
