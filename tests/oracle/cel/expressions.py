"""The expressions that the oracle answers, grouped by subject, and the variables they see."""

import json
import sys

OBJECT: dict[str, object] = {
    "metadata": {
        "name": "web",
        "namespace": "shop",
        "labels": {"app": "web", "tier": "front", "a.b/c": "x"},
        "annotations": {},
        "finalizers": [],
    },
    "spec": {
        "replicas": 3,
        "ratio": 1.5,
        "paused": True,
        "nothing": None,
        "big": 9007199254740993,
        "negative": -7,
        "text": "Grüße, 世界",
        "ports": [80, 443, 8080],
        "names": ["c", "a", "b"],
        "mixed": [1, "a", True],
        "nested": [[1, 2], [3, [4]]],
        "containers": [
            {
                "name": "app",
                "image": "example.com/app:v1",
                "limits": {"cpu": "500m", "memory": "1Gi"},
            },
            {"name": "log", "image": "docker.io/log", "env": [{"name": "A", "value": "1"}]},
            {"name": "db", "image": "example.com/db@sha256:00", "limits": {"cpu": "2"}},
        ],
    },
}
PARAMS: dict[str, object] = {"data": {"max": "5", "prefix": "example.com/"}}

GROUPS = {
    "literals": """
        null
        true
        42
        -42
        0x2A
        42u
        1.5
        1e3
        -.5
        "a\\tb"
        'single'
        r'raw\\n'
        \"\"\"three\"\"\"
        b'bytes'
        b'\\xff\\x00'
        "\\u00fc\\U0001F600"
        [1, 2, 3]
        []
        {}
        {'a': 1, 'b': 2}
        {1: 'a', 2u: 'b'}
        {true: 1}
        int
        type(1)
        type(type(1))
        type(null)
        type('a') == string
        type([]) == list
        type({}) == map
        type(1u)
        type(1.0)
        type(b'')
        type(true)
        google.protobuf.Duration
        9223372036854775807
        -9223372036854775808
        18446744073709551615u
    """,
    "arithmetic": """
        1 + 2 * 3 - 4
        7 / 2
        -7 / 2
        7 % 3
        -7 % 3
        7 % -3
        7u / 2u
        7u % 2u
        1.0 / 3.0
        1.0 / 0.0
        -1.0 / 0.0
        0.0 / 0.0
        1 / 0
        1 % 0
        1u / 0u
        9223372036854775807 + 1
        -9223372036854775808 - 1
        9223372036854775807 * 2
        -(-9223372036854775808 + 0)
        -9223372036854775808 / -1
        1u - 2u
        18446744073709551615u + 1u
        18446744073709551615u * 2u
        0.1 + 0.2
        1e308 * 10.0
        'a' + 'b'
        b'a' + b'b'
        [1] + [2, 3]
        object.spec.replicas + 1
        object.spec.replicas + 1.0
        object.spec.ratio * 2.0
        object.spec.ratio * 2
        -object.spec.replicas
        -object.spec.ratio
        -object.spec.paused
        object.spec.replicas / 0
        object.spec.names + ['d']
        object.spec.text + '!'
        object.spec.text + 1
        !object.spec.paused
        !object.spec.replicas
        1 + 1u
        1 + 'a'
        'a' * 2
    """,
    "comparison": """
        1 == 1
        1 == 2
        1 != 2
        1 == 1.0
        1 < 2.0
        1u < 2
        2.5 > 2
        1 < 'a'
        'a' < 'b'
        'a' >= 'b'
        b'a' < b'b'
        true > false
        [1] == [1]
        [1] == [1, 2]
        [1, 2] != [2, 1]
        {'a': 1} == {'a': 1}
        {'a': 1} == {'a': 2}
        {'a': 1} == {'b': 1}
        null == null
        object.spec.nothing == null
        object.spec.replicas == null
        object.spec.replicas == 3
        object.spec.replicas == 3.0
        object.spec.replicas == 3u
        object.spec.replicas == '3'
        object.spec.replicas != '3'
        object.spec.replicas < 3.5
        object.spec.replicas < '3'
        object.spec.replicas > 2u
        object.spec.paused == 1
        object.spec.paused == true
        object.spec.big == 9007199254740992.0
        object.spec.big == 9007199254740993
        object.spec.big > 9007199254740992.0
        object.spec.names == ['c', 'a', 'b']
        object.spec.mixed == dyn([1, 'a', true])
        object.spec.ports == dyn([80.0, 443u, 8080])
        object.spec.nothing < 1
        object.metadata.labels == {'app': 'web', 'tier': 'front', 'a.b/c': 'x'}
        dyn(1) == dyn('1')
        dyn(1.0) == dyn(1)
        dyn(0.0/0.0) == dyn(0.0/0.0)
        dyn([1]) == dyn({'a': 1})
        'a' == b'a'
        type(1) == type(1.0)
        timestamp('2024-01-01T00:00:00Z') < timestamp('2024-01-02T00:00:00Z')
        duration('1m') == duration('60s')
    """,
    "logic": """
        true && false
        true || false
        false || object.spec.replicas == 3
        object.spec.nope || true
        true || object.spec.nope
        object.spec.nope && false
        false && object.spec.nope
        object.spec.nope && true
        object.spec.nope || false
        object.spec.replicas && true
        object.spec.replicas || true
        true && object.spec.replicas
        true ? 1 : 2
        object.spec.paused ? 'yes' : 'no'
        object.spec.replicas ? 1 : 2
        object.spec.nope ? 1 : 2
        true ? 1 : object.spec.nope
        true ? 1 : 'a'
        1 / 0 == 1 || true
        1 / 0 == 1 && true
        has(object.spec.a) && object.spec.a.b == 1 || !has(object.spec.a)
        [1/0, 1].exists(x, x == 1)
        !(object.spec.paused && object.spec.replicas > 5)
    """,
    "access": """
        object.metadata.name
        object.metadata['name']
        object['metadata']['labels']['a.b/c']
        object.metadata.labels.app
        object.metadata.labels.nope
        object.metadata.nope.deeper
        object.spec.ports[0]
        object.spec.ports[3]
        object.spec.ports[-1]
        object.spec.ports[1.0]
        object.spec.ports[1.5]
        object.spec.ports[1u]
        object.spec.ports['a']
        object.spec.replicas.x
        object.spec.replicas[0]
        object.spec.nothing.x
        object.metadata.name[0]
        {'a': 1}.a
        {'a': 1}['b']
        {1: 'a'}[1.0]
        {1: 'a'}[1u]
        dyn({1: 'a'})[true]
        dyn({true: 'a'})[1]
        [1, 2][1]
        has(object.spec.replicas)
        has(object.spec.nope)
        has(object.spec.nothing)
        has(object.nope.x)
        has(object.spec.replicas.x)
        has({'a': 1}.a)
        has({'a': 1}.b)
        'app' in object.metadata.labels
        'nope' in object.metadata.labels
        80 in object.spec.ports
        80.0 in object.spec.ports
        '80' in object.spec.ports
        1 in object.spec.replicas
        'x' in ['x', 'y']
        params.data.max
        params['data']['prefix'] + 'x'
        nope
        nope.x
        object.
        object..x
        (object
        'unterminated
        foo(1)
        object.foo(1)
        1 2
        if
        object.metadata.name ==
        [1, 'a']
        {'a': 1, 'b': 'x'}
        {'a': 1, 'a': 2}
        'a'.contains(1)
        size(1)
        'abc'.nope()
    """,
    "macros": """
        object.spec.ports.all(p, p > 0)
        object.spec.ports.all(p, p > 100)
        object.spec.ports.exists(p, p == 443)
        object.spec.ports.exists(p, p == 1)
        object.spec.ports.exists_one(p, p > 8000)
        object.spec.ports.exists_one(p, p > 80)
        object.spec.ports.map(p, p * 2)
        object.spec.ports.map(p, p > 100, p + 1)
        object.spec.ports.filter(p, p > 100)
        object.metadata.labels.all(k, k.size() > 0)
        object.metadata.labels.exists(k, object.metadata.labels[k] == 'front')
        object.spec.containers.all(c, has(c.limits))
        object.spec.containers.filter(c, !has(c.limits)).map(c, c.name)
        object.spec.containers.all(c, c.image.startsWith(params.data.prefix))
        object.spec.containers.map(c, c.name).join(', ')
        object.spec.containers.exists(c, c.env.exists(e, e.name == 'A'))
        object.spec.containers.all(c, c.nope == 1)
        object.spec.containers.exists(c, c.nope == 1)
        object.spec.containers.exists_one(c, c.limits.cpu == '2')
        object.spec.mixed.all(x, x > 0)
        object.spec.mixed.exists(x, x == 'a')
        [].all(x, false)
        [].exists(x, true)
        object.spec.replicas.all(x, true)
        object.metadata.name.all(x, true)
        [[1, 2], [3]].all(l, l.all(x, x > 0))
        [1, 2].map(x, [3, 4].map(y, x * y))
        [1, 2].all(x, [x].exists(x, x > 1) || x == 1)
        object.spec.ports.all(i, p, i < 3 && p > 0)
        object.spec.ports.exists(i, p, i == 1 && p == 443)
        object.spec.ports.existsOne(i, p, p > 8000)
        object.metadata.labels.all(k, v, k != v)
        object.metadata.labels.exists(k, v, v == 'front')
        object.spec.ports.transformList(i, p, p + i)
        object.spec.ports.transformList(i, p, i > 0, p + i)
        object.metadata.labels.transformMap(k, v, v + '!')
        object.metadata.labels.transformMap(k, v, k == 'app', v + '!')
        object.metadata.labels.transformMapEntry(k, v, {v: k})
        [1, 1].transformMapEntry(i, v, {v: i})
        object.metadata.labels.transformList(k, v, k + v).size()
        object.all(x)
        object.all(1, true)
    """,
    "strings": """
        'hello'.size()
        size('hello')
        object.spec.text.size()
        b'abc'.size()
        [1, 2].size()
        object.metadata.labels.size()
        object.spec.replicas.size()
        'hello'.contains('ell')
        'hello'.startsWith('he')
        'hello'.endsWith('lo')
        object.metadata.name.contains('e')
        object.spec.replicas.contains('e')
        'hello'.charAt(1)
        'hello'.charAt(5)
        'hello'.charAt(6)
        object.spec.text.charAt(3)
        'hello'.indexOf('l')
        'hello'.indexOf('z')
        'hello'.indexOf('l', 3)
        'hello'.indexOf('')
        'hello'.indexOf('l', -1)
        'hello'.indexOf('l', 9)
        'hello'.lastIndexOf('l')
        'hello'.lastIndexOf('l', 2)
        'hello'.lastIndexOf('')
        'hello'.lastIndexOf('hello', 4)
        'hello'.lastIndexOf('l', -1)
        'hello'.lastIndexOf('', 2)
        'hello'.lastIndexOf('l', 9)
        object.spec.text.indexOf('世')
        ['a', 'b'].join()
        ['a', 'b'].join('-')
        [].join('-')
        object.spec.names.join(',')
        object.spec.mixed.join(',')
        'HeLLo Ü'.lowerAscii()
        'HeLLo ü'.upperAscii()
        'hello'.replace('l', 'L')
        'hello'.replace('l', 'L', 1)
        'hello'.replace('', '-')
        'hello'.replace('l', 'L', 0)
        'hello'.replace('l', 'L', -1)
        'a,b,c'.split(',')
        'a,b,c'.split(',', 2)
        'a,b,c'.split(',', 0)
        'a,b,c'.split(',', -1)
        'a,b,c'.split(',', 1)
        'abc'.split('')
        'abc'.split('', 2)
        ''.split(',')
        'hello'.substring(2)
        'hello'.substring(1, 3)
        'hello'.substring(3, 1)
        'hello'.substring(9)
        'hello'.substring(0, 9)
        object.spec.text.substring(7)
        '  \\t x \\n'.trim()
        strings.quote('a"b\\n\\t\\\\')
        'abc'.reverse()
        'a'.matches('^a$')
        'abc'.matches('b')
        object.metadata.name.matches('^[a-z]+$')
        'abc'.matches('(')
        object.metadata.name.matches('(' + '')
        'a'.matches('a{1001}')
        'abc def'.find('[a-z]+')
        'abc'.find('[0-9]')
        'abc def'.find('(')
        'abc 123 def 456'.findAll('[0-9]+')
        'abc 123 def 456'.findAll('[0-9]+', 1)
        'abc'.findAll('[0-9]+')
        'abc'.findAll('x*')
        'aéb'.find('é.')
        object.spec.containers.map(c, c.image.find('^[^/]+'))
    """,
    "format": """
        'plain'.format([])
        '%s'.format(['a'])
        '%s %s'.format([1, 2u])
        '%s'.format([1.5])
        '%s'.format([true])
        '%s'.format([null])
        '%s'.format([[1, 'a', 2.5]])
        '%s'.format([{'b': 1, 'a': [true]}])
        '%s'.format([b'abc'])
        '%s'.format([type(1)])
        '%s'.format([duration('1h30m')])
        '%s'.format([timestamp('2024-02-03T04:05:06.007Z')])
        '%d'.format([42])
        '%d'.format([-42])
        '%d'.format([42u])
        '%d'.format([1.5])
        '%d'.format(['a'])
        '%f'.format([1.5])
        '%.2f'.format([1.005])
        '%.0f'.format([2.5])
        '%f'.format([3])
        '%e'.format([12345.678])
        '%.2e'.format([12345.678])
        '%b'.format([5])
        '%b'.format([true])
        '%b'.format([-5])
        '%o'.format([64])
        '%x'.format([255])
        '%X'.format([255])
        '%x'.format([-255])
        '%x'.format(['hi'])
        '%X'.format([b'hi'])
        '%%'.format([])
        '%s'.format([])
        '%q'.format(['a'])
        '%s'.format([object.metadata.name])
        '%s'.format([object.spec.ratio])
        '%s'.format([object.spec.ports])
        '%s is %d'.format([object.metadata.name, object.spec.replicas])
        '%d'.format([object.spec.text])
        '%.2f'.format(['NaN'])
        '%e'.format(['Infinity'])
        '%f'.format([object.spec.text])
        '%b'.format([object.spec.text])
        '%o'.format([object.spec.text])
        '%x'.format([object.spec.ratio])
        '%s'.format([dyn(optional.none())])
        '%s'.format([[timestamp('2024-02-03T04:05:06Z'), 1u, true]])
        '%s'.format([{1: 2.5, 2: 3.5}])
        '%s'.format([1e20])
        '%s'.format([1e-7])
        '%s'.format([0.1 + 0.2])
        '%f'.format([1234567.5])
        '%.3f'.format([-1234567.5])
        '%e'.format([0.00012])
        '%e'.format([-1e100])
        '%.20e'.format([1.5])
        '%f'.format([dyn('NaN')])
        '%s'.format([1234567.5])
        '%s'.format([['a"b', b'x', null, duration('1s'), [1.5], type(1)]])
        '%x'.format([true])
        '%d%%'.format([5])
        '%'.format([5])
        '%.f'.format([5.0])
        '%.'.format([5.0])
        'a'.format(['b'])
        '%s'.format(['a', 'b'])
        '%f'.format([0.0/0.0])
        '%f'.format([1.0/0.0])
    """,
    "conversions": """
        string(1)
        string(-1)
        string(1u)
        string(1.0)
        string(1.5)
        string(1e20)
        string(1e21)
        string(1e-5)
        string(123456789.0)
        string(1e100)
        string(0.1 + 0.2)
        string(timestamp('2024-02-03T04:05:06+00:00'))
        string(1234567.0)
        string(100000.0)
        string(1000000.0)
        string(0.0001)
        string(0.00001234)
        string(true)
        string('a')
        string(b'abc')
        string(b'\\xff')
        string(duration('1h30m0.5s'))
        string(duration('-1.5s'))
        string(timestamp('2024-02-03T04:05:06+02:00'))
        string(object.spec.ratio)
        string(object.spec.nothing)
        string([1])
        int('42')
        int('-42')
        int('4.2')
        int('')
        int(' 1')
        int('9223372036854775808')
        int(1.9)
        int(-1.9)
        int(1e19)
        int(1.0 / object.spec.ratio * 1e300 * 1e300)
        int('0000000000000000000000000000000042')
        double('1e999')
        int(5u)
        int(18446744073709551615u)
        int(timestamp('2024-01-01T00:00:00Z'))
        int(object.spec.ratio)
        int(object.spec.paused)
        uint(5)
        uint(-5)
        uint('5')
        uint('-5')
        uint(5.7)
        double(1)
        double('1.5')
        double('x')
        double('1e3')
        double(1u)
        bool('true')
        bool('false')
        bool('yes')
        bool('1')
        bool('T')
        bytes('ü')
        dyn(1)
        timestamp('2024-02-30T00:00:00Z')
        timestamp('nope')
        timestamp(object.metadata.name)
        timestamp(1700000000)
        timestamp(timestamp('2024-02-03T04:05:06Z'))
        duration(duration('1h'))
        timestamp('2024-02-03T04:05:06.123456789Z')
        timestamp('2024-02-03T04:05:06Z').getFullYear()
        timestamp('2024-02-03T04:05:06Z').getMonth()
        timestamp('2024-02-03T04:05:06Z').getDate()
        timestamp('2024-02-03T04:05:06Z').getDayOfMonth()
        timestamp('2024-02-03T04:05:06Z').getDayOfWeek()
        timestamp('2024-02-03T04:05:06Z').getDayOfYear()
        timestamp('2024-02-03T04:05:06Z').getHours()
        timestamp('2024-02-03T04:05:06Z').getHours('+02:30')
        timestamp('2024-02-03T04:05:06Z').getHours('-05:00')
        timestamp('2024-02-03T04:05:06Z').getMinutes('+02:30')
        timestamp('2024-02-03T04:05:06Z').getHours('Europe/Berlin')
        timestamp('2024-07-03T04:05:06Z').getHours('Europe/Berlin')
        timestamp('2024-02-03T20:05:06Z').getDate('Australia/Sydney')
        timestamp('2024-02-03T04:05:06Z').getMinutes('Asia/Kolkata')
        timestamp('2099-07-03T04:05:06Z').getHours('America/New_York')
        timestamp('9999-12-31T23:59:59Z').getDayOfMonth('Asia/Tokyo')
        timestamp('2024-02-03T04:05:06Z').getHours('Local')
        timestamp('2024-02-03T04:05:06Z').getHours('')
        timestamp('2024-02-03T04:05:06Z').getHours('europe/berlin')
        timestamp('2024-02-03T04:05:06Z').getHours('Europe')
        timestamp('2024-02-03T04:05:06Z').getHours('../UTC')
        timestamp('2024-02-03T04:05:06.789Z').getMilliseconds()
        timestamp('2024-12-31T00:00:00Z').getDayOfYear()
        timestamp('0001-01-01T00:00:00Z')
        timestamp('9999-12-31T23:59:59Z') + duration('1s')
        timestamp('2024-02-03T04:05:06Z') + duration('24h')
        duration('1h') + timestamp('2024-02-03T04:05:06Z')
        timestamp('2024-02-03T04:05:06Z') - duration('24h')
        timestamp('2024-02-03T04:05:06Z') - timestamp('2024-02-02T04:05:06Z')
        duration('1h') - duration('30m')
        duration('1h30m').getHours()
        duration('1h30m').getMinutes()
        duration('-90s').getMinutes()
        duration('1.5s').getMilliseconds()
        duration('1x')
        duration('')
        duration('1')
        duration('0')
        duration('1.5h')
        duration('1ms1us1ns')
        duration(object.metadata.name)
        duration('100000000h')
    """,
    "lists": """
        [1, 2, 3].isSorted()
        [3, 1].isSorted()
        object.spec.ports.isSorted()
        object.spec.names.isSorted()
        object.spec.mixed.isSorted()
        [].isSorted()
        [1, 2, 3].sum()
        [1.5, 2.5].sum()
        [1u, 2u].sum()
        [duration('1s'), duration('2s')].sum()
        ['a'].sum()
        [].sum()
        object.spec.ports.sum()
        object.spec.names.sum()
        object.spec.containers.map(c, 1).sum()
        [3, 1, 2].min()
        [3, 1, 2].max()
        ['b', 'a'].min()
        object.spec.names.max()
        [].min()
        [].max()
        [1, 2, 1].indexOf(1)
        [1, 2, 1].lastIndexOf(1)
        [1].indexOf(5)
        object.spec.ports.indexOf(443)
        object.spec.names.lastIndexOf('z')
        object.spec.names.indexOf('b')
        [1].indexOf('a')
        ['a', 'b'].includes('a')
        'a'.includes('a')
        {'a': 1}.includes('a')
        sets.contains([1, 2, 3], [2, 3])
        sets.contains([1], [2])
        sets.contains([], [])
        sets.contains(object.spec.names, ['a'])
        sets.equivalent([1, 2, 2], [2, 1])
        sets.equivalent([1], [1, 2])
        sets.intersects([1, 2], [2, 3])
        sets.intersects([1], [2])
        sets.contains([1], ['a'])
        [1, 2, 3, 4].slice(1, 3)
        [1, 2].slice(1, 5)
        [1, 2].slice(2, 1)
        [1, 2].slice(-1, 1)
        object.spec.nested.flatten()
        object.spec.nested.flatten(2)
        object.spec.nested.flatten(0)
        object.spec.nested.flatten(-1)
        lists.range(-1)
        [[1, 2], [3]].flatten()
        lists.range(4)
        [1, 2, 2, 1].distinct()
        [3, 1, 2].reverse()
        [3, 1, 2].sort()
        ['b', 'a'].sort()
        object.spec.names.sort()
        object.spec.mixed.sort()
        object.spec.containers.sortBy(c, c.name).map(c, c.name)
        [3, 1, 2].sortBy(x, -x)
        [1, 2].first()
        [1, 2].last().value()
        [].first().hasValue()
    """,
    "optional": """
        object.?metadata.name
        object.?nope
        object.?nope.deeper
        object.?spec.?replicas.orValue(1)
        object.?spec.?nope.orValue(1)
        object.spec.?nope.hasValue()
        object.spec.?replicas.value()
        object.spec.?nope.value()
        object.metadata.labels[?'app'].orValue('none')
        object.metadata.labels[?'nope'].orValue('none')
        object.spec.ports[?1]
        object.spec.ports[?9]
        object.spec.?nope.or(optional.of(5)).value()
        optional.of(1)
        optional.none()
        optional.ofNonZeroValue('')
        optional.ofNonZeroValue('a')
        optional.ofNonZeroValue(0)
        optional.of(1) == optional.of(1)
        optional.none() == optional.none()
        optional.of(1).hasValue()
        object.spec.?replicas.optMap(r, r * 2)
        object.?spec.all(x, true)
        optional.of([1, 2]).optMap(l, l.size())
        object.spec.replicas.?x.hasValue()
        object.spec.replicas.orValue(1)
        object.spec.?nope.optMap(r, r * 2)
        object.spec.?replicas.optFlatMap(r, optional.of(r + 1))
        [?object.?nope, 1]
        [?object.spec.?replicas, 1]
        {?'a': object.?nope, 'b': 1}
        {?'a': object.spec.?replicas}
        has(object.?metadata.name)
        has(object.?nope.name)
        sign(quantity('-5'))
        optional.unwrap([optional.of(1), optional.none()])
        [optional.of(1), optional.none()].unwrapOpt()
        object.?spec.containers[0].name.orValue('x')
    """,
    "quantity": """
        quantity('1')
        quantity('1.5Gi')
        quantity('100m')
        quantity('1000m')
        quantity('bad')
        quantity('')
        isQuantity('1Ki')
        isQuantity('1KB')
        quantity('1') == quantity('1000m')
        quantity('1Gi') == quantity('1073741824')
        quantity('1').isLessThan(quantity('2'))
        quantity('1').isGreaterThan(quantity('500m'))
        quantity('1Gi').compareTo(quantity('1G'))
        quantity('1').compareTo(quantity('1'))
        quantity('-5').sign()
        quantity('0').sign()
        quantity('5').asInteger()
        quantity('1.5').asInteger()
        quantity('1.5').isInteger()
        quantity('2k').isInteger()
        quantity('100m').asApproximateFloat()
        quantity('1Gi').asApproximateFloat()
        quantity('1Gi').add(quantity('1Gi'))
        quantity('1').add(quantity('500m'))
        quantity('1').add(2)
        quantity('1Ki').sub(quantity('24'))
        quantity('1').sub(3)
        quantity('1') > quantity('2')
        quantity('1') + quantity('2')
        quantity(1)
        type(quantity('1'))
        object.spec.containers.all(c, !has(c.limits) || quantity(c.limits.cpu) != quantity('4'))
        object.spec.containers.filter(c, has(c.limits)).map(c, quantity(c.limits.cpu))
        quantity(object.metadata.name)
        quantity('1') == dyn('1')
        quantity('1e3').asInteger()
        quantity('0.0000000001')
    """,
    "network": """
        ip('10.0.0.1')
        ip('::1')
        ip('2001:0db8::1')
        ip('10.0.0.256')
        ip('010.0.0.1')
        ip('::ffff:1.2.3.4')
        ip('fe80::1%eth0')
        isIP('10.0.0.1')
        isIP('nope')
        ip.isCanonical('2001:db8::1')
        ip.isCanonical('2001:DB8::1')
        ip.isCanonical('nope')
        ip('10.0.0.1').family()
        ip('::1').family()
        ip('0.0.0.0').isUnspecified()
        ip('127.0.0.1').isLoopback()
        ip('224.0.0.1').isLinkLocalMulticast()
        ip('ff02::1').isLinkLocalMulticast()
        ip('169.254.1.1').isLinkLocalUnicast()
        ip('fe80::1').isLinkLocalUnicast()
        ip('10.0.0.1').isGlobalUnicast()
        ip('255.255.255.255').isGlobalUnicast()
        ip('224.0.0.1').isGlobalUnicast()
        string(ip('2001:0db8::1'))
        ip('10.0.0.1') == ip('10.0.0.1')
        cidr('10.0.0.0/8')
        cidr('10.1.2.3/8')
        cidr('10.0.0.0/33')
        cidr('10.0.0.0/08')
        cidr('nope')
        isCIDR('10.0.0.0/8')
        isCIDR('10.0.0.0')
        cidr('10.0.0.0/8').containsIP('10.1.2.3')
        cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))
        cidr('10.0.0.0/8').containsIP('nope')
        cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')
        cidr('10.0.0.0/8').containsCIDR(cidr('0.0.0.0/0'))
        cidr('10.0.0.0/8').containsIP('::1')
        cidr('10.1.2.3/8').masked()
        cidr('2001:db8::1/32').masked()
        cidr('10.0.0.0/8').prefixLength()
        cidr('10.1.2.3/8').ip()
        string(cidr('10.1.2.3/8'))
        cidr('10.0.0.0/8') == cidr('10.0.0.0/8')
    """,
    "url": """
        url('https://example.com:8080/a/b?c=d&c=e&f=')
        url('https://user:pw@example.com/').getHost()
        url('https://example.com:8080/a').getHost()
        url('https://example.com:8080/a').getHostname()
        url('https://example.com:8080/a').getPort()
        url('https://example.com/a').getPort()
        url('https://[::1]:80/a').getHost()
        url('https://[::1]:80/a').getHostname()
        url('https://[::1]:80/a').getPort()
        url('https://example.com/a b').getEscapedPath()
        url('https://example.com/a%20b').getEscapedPath()
        url('https://example.com/ü').getEscapedPath()
        url('https://example.com/path').getScheme()
        url('HTTPS://example.com/path').getScheme()
        url('/path?x=1').getEscapedPath()
        url('/path').getScheme()
        url('https://example.com/?a=1&b=2&a=3').getQuery()
        url('https://example.com/?a=%20+b').getQuery()
        url('https://example.com/').getQuery()
        url('https://example.com/?a=%zz&b=1').getQuery()
        url('relative')
        url('')
        url('https://example.com/%zz')
        url('://x')
        url('https://example.com:port/')
        url('https://exa mple.com/')
        isURL('https://example.com')
        isURL('/a')
        isURL('../a')
        isURL('https://[::1')
        url('https://example.com/a') == url('https://example.com/a')
        url('mailto:a@b')
    """,
    "semver": """
        semver('1.2.3')
        semver('1.2.3-rc.1+build.5')
        semver('v1.2.3')
        semver('1.2')
        semver('01.2.3')
        semver('v1.02', true)
        semver('v1', true)
        semver('1.2-rc', true)
        isSemver('1.2.3')
        isSemver('1.2')
        isSemver('v1.2', true)
        semver('1.2.3').major()
        semver('1.2.3').minor()
        semver('1.2.3').patch()
        semver('1.2.3').isLessThan(semver('1.10.0'))
        semver('1.2.3').isGreaterThan(semver('1.2.3-rc.1'))
        semver('1.2.3-rc.2').compareTo(semver('1.2.3-rc.10'))
        semver('1.2.3-alpha').compareTo(semver('1.2.3-1'))
        semver('1.2.3').compareTo(semver('1.2.3'))
        semver('1.2.3') == semver('1.2.3')
        semver('1.2.3-01')
        semver('1.2.3').isLessThan(quantity('1'))
        semver('1.0.0-a.b').isLessThan(semver('1.0.0-a'))
    """,
    "formats": """
        format.dns1123Label().validate('my-name')
        format.dns1123Label().validate('My_Name')
        format.dns1123Subdomain().validate('a.b')
        format.dns1123Subdomain().validate('a..b').hasValue()
        format.dns1035Label().validate('1a').hasValue()
        format.dns1035Label().validate('1a')
        format.qualifiedName().validate('example.com/Name')
        format.qualifiedName().validate('/Name')
        format.qualifiedName().validate('a/b/c')
        format.qualifiedName().validate('')
        format.dns1123LabelPrefix().validate('name-')
        format.dns1123SubdomainPrefix().validate('a.b-')
        format.dns1035LabelPrefix().validate('name-')
        format.labelValue().validate('')
        format.labelValue().validate('-x')
        format.uri().validate('https://example.com')
        format.uri().validate('x').hasValue()
        format.uuid().validate('123e4567-e89b-12d3-a456-426614174000')
        format.uuid().validate('nope')
        format.byte().validate('aGk=')
        format.byte().validate('aGk')
        format.date().validate('2024-02-29')
        format.date().validate('2023-02-29')
        format.datetime().validate('2024-02-29T00:00:00Z')
        format.datetime().validate('nope')
        format.named('dns1123Label').hasValue()
        format.named('nope').hasValue()
        format.named('uuid').value().validate('x').value()[0]
        !format.dns1123Label().validate(object.metadata.name).hasValue()
        format.dns1123Label().validate('a'.replace('a', 'bbbbbbbb').replace('b', 'cccccccc'))
    """,
}

if __name__ == "__main__":
    rows: list[dict[str, object]] = [{"object": OBJECT, "params": PARAMS}]
    for group in GROUPS.values():
        rows.extend({"expression": line.strip()} for line in group.strip().splitlines())
    for row in rows:
        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
