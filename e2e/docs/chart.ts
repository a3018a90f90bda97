import { ofServices } from './configuration.ts';
import { settingOf } from './setting.ts';

/** Where the Helm chart reads which settings a service has. */
export const chartFile = new URL('../../deploy/kubernetes/switchboard/files/settings.json', import.meta.url);

/** deploy/kubernetes/switchboard/files/settings.json: what the chart checks settings against. */
export function chartSettings(): string {
  const services = ofServices.map(([service, shape]) => {
    const settings = Object.entries(shape).map(([name, schema]) => {
      const { required, secret } = settingOf(name, schema);
      return [name, { ...(required && { required }), ...(secret && { secret }) }];
    });
    return [service, Object.fromEntries(settings)];
  });
  return `${JSON.stringify(Object.fromEntries(services), null, 2)}\n`;
}
