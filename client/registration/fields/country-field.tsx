import type { WrappedFieldProps } from 'redux-form';
import { registrationCopy } from '#shared/content/registration.ts';
import { listCountries } from '#shared/countries.ts';
import { controlProps, FieldFrame } from './field-frame.tsx';
import { FormField } from './form-field.ts';

const countries = listCountries();

/** The billing country, as its two-letter code. */
export function CountryField({ name, label }: { name: string; label: string }) {
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
