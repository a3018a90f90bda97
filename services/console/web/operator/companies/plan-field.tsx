import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { SelectField } from '../../components/field.tsx';

interface Plan {
  tier: string;
  cycle: string;
}

interface PlanFieldProps {
  value: Plan | undefined;
  onChange: (plan: Plan) => void;
}

const nameOf = ({ tier, cycle }: Plan) => `${tier} / ${cycle}`;

/** Chooses one of the plans of the deployment. */
export function PlanField({ value, onChange }: PlanFieldProps) {
  const { data } = useCall(['listManagedPlans'], (client, options) =>
    client.call('listManagedPlans', {}, options),
  );
  const plans: readonly Plan[] = data?.plans ?? (value === undefined ? [] : [value]);
  return (
    <SelectField
      label={t('Plan')}
      required
      value={value === undefined ? '' : nameOf(value)}
      options={[
        ...(value === undefined ? [{ value: '', title: t('Choose a plan') }] : []),
        ...plans.map((plan) => ({ value: nameOf(plan), title: nameOf(plan) })),
      ]}
      onChange={({ target }) => {
        const chosen = plans.find((plan) => nameOf(plan) === target.value);
        if (chosen !== undefined) onChange({ tier: chosen.tier, cycle: chosen.cycle });
      }}
    />
  );
}
