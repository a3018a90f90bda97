import { ENTERPRISE_SCHEMA, GROUP_SCHEMA, USER_SCHEMA } from './resources.ts';

const CONFIG_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
const RESOURCE_TYPE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';

const attribute = (name: string, more: object = {}) => ({
  name,
  type: 'string',
  multiValued: false,
  description: '',
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});

/** An attribute of the documents of this file, which clients only read. */
const readOnly = (name: string, more: object = {}) => attribute(name, { mutability: 'readOnly', ...more });
const complex = (name: string, subAttributes: object[], more: object = {}) =>
  readOnly(name, { type: 'complex', subAttributes, ...more });
const flag = (name: string) => readOnly(name, { type: 'boolean', required: true });
const option = (name: string, ...more: object[]) =>
  complex(name, [flag('supported'), ...more], { required: true });
const integer = (name: string) => readOnly(name, { type: 'integer', required: true });
const reference = (name: string, ...types: string[]) =>
  readOnly(name, { type: 'reference', caseExact: true, referenceTypes: types });

const ATTRIBUTE_PARTS = [
  readOnly('name', { required: true, caseExact: true }),
  readOnly('type', { required: true }),
  flag('multiValued'),
  readOnly('description'),
  readOnly('required', { type: 'boolean' }),
  readOnly('canonicalValues', { multiValued: true, caseExact: true }),
  readOnly('caseExact', { type: 'boolean' }),
  readOnly('mutability', { caseExact: true }),
  readOnly('returned', { caseExact: true }),
  readOnly('uniqueness', { caseExact: true }),
  readOnly('referenceTypes', { multiValued: true, caseExact: true }),
];

const schemas = [
  {
    id: USER_SCHEMA,
    name: 'User',
    attributes: [
      attribute('userName', { required: true, uniqueness: 'server' }),
      attribute('name', {
        type: 'complex',
        subAttributes: [attribute('formatted'), attribute('givenName'), attribute('familyName')],
      }),
      attribute('displayName'),
      attribute('active', { type: 'boolean' }),
      attribute('emails', {
        type: 'complex',
        multiValued: true,
        subAttributes: [attribute('value'), attribute('type'), attribute('primary', { type: 'boolean' })],
      }),
      attribute('groups', {
        type: 'complex',
        multiValued: true,
        mutability: 'readOnly',
        subAttributes: [attribute('value'), attribute('display')],
      }),
    ],
  },
  {
    id: GROUP_SCHEMA,
    name: 'Group',
    attributes: [
      attribute('displayName', { required: true, uniqueness: 'server' }),
      attribute('members', {
        type: 'complex',
        multiValued: true,
        subAttributes: [attribute('value'), attribute('display', { mutability: 'readOnly' })],
      }),
    ],
  },
  {
    id: ENTERPRISE_SCHEMA,
    name: 'EnterpriseUser',
    attributes: ['employeeNumber', 'costCenter', 'organization', 'division', 'department', 'manager'].map(
      (name) => attribute(name),
    ),
  },
  {
    id: CONFIG_SCHEMA,
    name: 'ServiceProviderConfig',
    attributes: [
      reference('documentationUri', 'external'),
      option('patch'),
      option('bulk', integer('maxOperations'), integer('maxPayloadSize')),
      option('filter', integer('maxResults')),
      option('changePassword'),
      option('sort'),
      option('etag'),
      complex(
        'authenticationSchemes',
        [
          readOnly('type', { required: true }),
          readOnly('name', { required: true }),
          readOnly('description', { required: true }),
          reference('specUri', 'external'),
          reference('documentationUri', 'external'),
        ],
        { multiValued: true, required: true },
      ),
    ],
  },
  {
    id: RESOURCE_TYPE_SCHEMA,
    name: 'ResourceType',
    attributes: [
      readOnly('name', { required: true }),
      readOnly('description'),
      reference('endpoint', 'uri'),
      reference('schema', 'uri'),
      complex('schemaExtensions', [reference('schema', 'uri'), flag('required')], { multiValued: true }),
    ],
  },
  {
    id: SCHEMA_SCHEMA,
    name: 'Schema',
    attributes: [
      readOnly('name', { required: true }),
      readOnly('description'),
      complex(
        'attributes',
        [...ATTRIBUTE_PARTS, complex('subAttributes', ATTRIBUTE_PARTS, { multiValued: true })],
        { multiValued: true, required: true },
      ),
    ],
  },
];

/** The documents by which a client discovers the service (RFC 7643, sections 5 to 7), by path. */
export function discovery(baseUrl: string): {
  config: object;
  schemas: { id: string }[];
  resourceTypes: { id: string }[];
} {
  const meta = (resourceType: string, path: string) => ({ resourceType, location: `${baseUrl}/${path}` });
  const supported = (is: boolean) => ({ supported: is });
  return {
    config: {
      schemas: [CONFIG_SCHEMA],
      patch: supported(true),
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 200 },
      changePassword: supported(false),
      sort: supported(false),
      etag: supported(false),
      authenticationSchemes: [
        { type: 'oauthbearertoken', name: 'Bearer token', description: 'A token of the company.' },
      ],
      meta: meta('ServiceProviderConfig', 'ServiceProviderConfig'),
    },
    schemas: schemas.map((schema) => ({
      schemas: [SCHEMA_SCHEMA],
      ...schema,
      meta: meta('Schema', `Schemas/${schema.id}`),
    })),
    resourceTypes: [
      {
        id: 'User',
        endpoint: '/Users',
        schema: USER_SCHEMA,
        schemaExtensions: [{ schema: ENTERPRISE_SCHEMA, required: false }],
      },
      { id: 'Group', endpoint: '/Groups', schema: GROUP_SCHEMA },
    ].map((type) => ({
      schemas: [RESOURCE_TYPE_SCHEMA],
      name: type.id,
      ...type,
      meta: meta('ResourceType', `ResourceTypes/${type.id}`),
    })),
  };
}
