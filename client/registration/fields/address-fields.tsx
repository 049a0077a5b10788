import { formValueSelector, type WrappedFieldProps } from 'redux-form';
import { type RootState, useAppSelector } from '#client/store/store.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { listCountries, needsPostalCode } from '#shared/countries.ts';
import { stateKindOf } from '#shared/state-kind.ts';
import { controlProps, FieldFrame, FormField, TextField } from './form-field.tsx';

const copy = registrationCopy.payment;

/** The billing address, with the labels that the chosen country uses. */
export function AddressFields({ form }: { form: string }) {
  const country = useChosenCountry(form);
  const postalCodeNeeded = needsPostalCode(country);
  return (
    <div className="address-fields">
      <TextField
        name="addressLine1"
        label={copy.addressLine1}
        autoComplete="billing address-line1"
        autoCapitalize="words"
      />
      <TextField
        name="addressLine2"
        label={copy.addressLine2}
        required={false}
        autoComplete="billing address-line2"
        autoCapitalize="words"
      />
      <CountryField name="addressCountry" label={copy.addressCountry} />
      <TextField
        name="addressCity"
        label={copy.addressCity}
        autoComplete="billing address-level2"
        autoCapitalize="words"
      />
      <TextField
        name="addressState"
        label={copy.addressState[stateKindOf(country)]}
        autoComplete="billing address-level1"
        autoCapitalize="words"
      />
      <TextField
        name="addressPostalCode"
        label={postalCodeNeeded ? copy.addressPostalCode : copy.addressPostalCodeOptional}
        required={postalCodeNeeded}
        autoComplete="billing postal-code"
        autoCapitalize="characters"
        spellCheck={false}
        enterKeyHint="done"
      />
    </div>
  );
}

function useChosenCountry(form: string): unknown {
  return useAppSelector((state): unknown => formValueSelector<RootState>(form)(state, 'addressCountry'));
}

const countries = listCountries();

/** The billing country, as its two-letter code. */
function CountryField({ name, label }: { name: string; label: string }) {
  return <FormField name={name} component={CountrySelect} label={label} />;
}

function CountrySelect({ input, meta, label }: WrappedFieldProps & { label: string }) {
  return (
    <FieldFrame name={input.name} label={label} meta={meta}>
      <select
        {...input}
        {...controlProps(input.name, meta)}
        className="field__control"
        autoComplete="billing country"
      >
        <option value="">{registrationCopy.payment.chooseCountry}</option>
        {countries.map(({ code, label: country }) => (
          <option key={code} value={code}>
            {country}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}
