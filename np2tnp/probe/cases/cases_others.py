# ruff: noqa: E501
"""Cases of ndarray's own members, dtypes, random numbers, and of what NumPy goes on doing: text, files, bits, dates,
iterators, states of generators (see all_cases.py for the notation).

Where NumPy goes on, arrays come from the migrated part of a function and go back to it: what is tried is that way there
and back.
"""

TABLE = """
ndarray.astype : v, np.float32 | s, np.uint8 | s, np.int8 | s, np.int16 | s, np.uint16 | s, np.int32 | s, np.int64 | s, np.uint64 | s, np.float32 | s, np.complex128 | s, bool | v, np.float64, order='C' | v, float | v, np.float64, copy=False | v, int | v, 'i8' | v, bool | v, complex | m, np.uint8 | v, dtype=np.int32 | v, 'd' | v, v.dtype | v, np.float64, 'C' | v, np.float64, casting='unsafe' | v, np.float32, casting='no' | s, np.float64 | v, str | v, np.int64 | z, np.float32 | v, np.float64, 'K', 'unsafe', False
ndarray.reshape : v, (2, 3), copy=True | m, (2, 6), order='C' | v, 2, 3 | v, (2, 3) | v, -1 | m, -1, 2 | m, (4, 3), order='F' | z, 1, 1 | m, 5, 5 | m, [2, 6] | v, (2, -1) | one, () | e, (-1, 0) | e3, 0, -1 | e, (0, 3) | me, -1, 3 | e, 0 | t, (2, -1)
ndarray.transpose : m | t | t, 2, 0, 1 | t, (2, 0, 1) | m, 1, 0 | v | m, None
ndarray.flatten : v | m | z | m, 'F' | m, order='C' | e
ndarray.ravel : v | m | z | m, 'F' | m, order='K' | e
ndarray.fill : v, 0 | m, 2.5 | v, z | v, True
ndarray.sort @order : v, stable=True | m, axis=0, order=None | v | m | m, 0 | s | m, axis=1 | v, kind='stable' | e | m, axis=None
ndarray.partition @order : v, 2, kind='introselect' | v, 2 | m, 1, axis=0
ndarray.item : z | one | v, 2 | m, 1, 2 | m, (1, 2) | v, -1 | v, 99 | v
ndarray.tolist : v | m | z | e | t
ndarray.tobytes : m, 'F' | m, order='C'
ndarray.tobytes ndarray.dumps : v
ndarray.clip : v, 0 | z, 0, 2 | m, 2 | v, 0, 2 | v, 3, 1 | v, min=0 | v, max=1 | v, None, 2 | s, 0, 1 | v, -1000, 1000 | m, r, r2 | v, 0, 300
ndarray.view : v | v, np.int8 | v, None | v, dtype=v.dtype | m, np.ndarray
ndarray.round : v | v, 1 | l, decimals=2 | l, -1
ndarray.std ndarray.var @sum : m, where=bm | m, 1, None, None, 1 | v | m, 0 | m, axis=1, ddof=1 | m, axis=0, keepdims=True | v, ddof=1 | m, 0, np.float64
ndarray.argsort : v[:1] | m, kind='stable' | m, 0, 'stable' | g
ndarray.argsort @order : d | s | l3
ndarray.dot @sum : v, w | m, z | v, v[0] | q, p | m, r | v, 2
ndarray.copy : v | m | z | m, 'F'
ndarray.put : v, [9], 1, mode='wrap' | v, [0, -9], 1, mode='clip' | v, [9], 1 | v, [0, 2], 5 | m, k, [1, 2]
ndarray.resize : v, 8, refcheck=False | m, (2, 2), refcheck=False | m, 2, 2, refcheck=False
ndarray.swapaxes : m, 0, 1 | t, 0, 2
ndarray.squeeze : one | a5 | a5, 1 | a5, axis=(1, 3) | m
ndarray.repeat : v, 2 | m, 2, 0 | m, 2, axis=1 | m, [1, 2, 0], axis=0
ndarray.take : v, [0, 2] | v, [-1] | m, [0, 1], axis=1 | m, 1, 0 | v, 99 | m, [0, 1], 0
ndarray.compress : v, [1, 0, 1] | m, [True, False], axis=1
ndarray.choose : km % 2, [z, y] | k0, [z, y, z] | km % 2, z, y | kn % 2, v, w | kn % 2, (v, w) | kn, v, w, mode='clip' | kn, v, w, v
ndarray.diagonal : m | q, 1 | t, axis1=1, axis2=2
ndarray.trace @sum : q | q, 1 | q, dtype=np.float64
ndarray.searchsorted : v, v, sorter=np.argsort(v) | g, v | g, 2 | g, v, 'right' | g, v, side='left'
ndarray.byteswap : v | v, True | v, inplace=False
ndarray.setflags : v, write=True
ndarray.setfield : v, 0, v.dtype | v, 2, v.dtype, 0 | v, 0, v.dtype, offset=99
ndarray.getfield : z, z.dtype | v, v.dtype | m, np.int8 | m, np.int8, 0
ndarray.dump ndarray.tofile : v, '/dev/null' | m, '/dev/null'
ndarray.conj ndarray.conjugate : v | m | z | s
ndarray.nonzero : v | m | b
ndarray.sum @sum : 0 - l3, dtype=np.uint8
ndarray.sum ndarray.prod ndarray.mean @sum : v | m, 0 | m, axis=1 | m, axis=0, keepdims=True | s | e | v, dtype=np.float64 | t, axis=(0, 2) | m, where=bm | v, None, float | l
ndarray.max ndarray.min : v | m, 0 | m, axis=1 | m, axis=0, keepdims=True | s | e | t, axis=(0, 2) | v, initial=2 | z
ndarray.all ndarray.any : j | v | m, 0 | m, axis=1 | s | e | t, axis=(0, 2) | b | m, axis=0, keepdims=True
ndarray.argmax ndarray.argmin : v | m, 0 | m, axis=1 | s | e | d | l | m, axis=0, keepdims=True
ndarray.cumsum ndarray.cumprod @sum : v | m, 0 | m, axis=1 | s | e | v, dtype=np.float64
ndarray.argpartition @order : m, 1, axis=0 | m, 1, axis=-1, kind='introselect' | v, 2
ndarray.to_device : v, 'cpu'
operator.add operator.sub operator.mul operator.truediv operator.floordiv operator.mod operator.pow operator.and_ operator.or_ operator.xor operator.lshift operator.rshift operator.eq operator.ne operator.lt operator.le operator.gt operator.ge
 : v, w | m, n | z, y | S, U | v, 2 | v, 2.5 | m, r2 | 2, v | 2.5, v | v, 1j | v, True | v, -1 | v, q | e, w[:1] | l, l2 | c, r2
operator.iadd operator.isub operator.imul operator.itruediv operator.ifloordiv operator.imod operator.ipow operator.iand operator.ior operator.ixor operator.ilshift operator.irshift
 : v, w | m, n | q, p | v, 2 | v, 2.5 | v, 1j | v, True | v, -1 | v, q | m, r2 | r, m | s, s[::-1] | e, w[:1] | v, x
operator.matmul @sum : q, p | v, w | m, n.T | m, r | t, q[:2, :2] | t, m.T | l, l2 | Q, p | m, n | z, y | v, 2 | e, e | em, p | S, U
operator.imatmul @sum : q, p | m, np.ones((4, 4)) | v, w | m, n | v, 2 | t, np.eye(4) | Q, p
operator.neg operator.pos operator.abs operator.invert : v | m | z | s | e | l | js
operator.contains : v, 3 | v, v[0] | v, 2.5 | m, 0.5 | m, np.nan | s, np.nan | s, 0 | e, 1 | z, 2.5 | v, 1j | v, w | v, [1, 2] | m, r | v, 'a' | v, None
operator.index : v | z | one | e | m
ndarray.__divmod__ @real : v, w | m, n | z, y | S, U | v, 2 | v, 2.5 | m, r2 | 7, w | v, -2 | v, 0 | v, q
ndarray.__len__ : v | m | e | me | z | one
ndarray.__iter__ : v | m | e | me | z | one | t
ndarray.__bool__ : v | z | one | one - one | e | m | v[:1] | m[:1, :1]
ndarray.__int__ ndarray.__float__ ndarray.__complex__ : z | one | v[:1] | v[0] | v | e | m | m[:1, :1]
can_cast : v.dtype, np.float64 | 'i4', 'i8' | np.float64, np.int32, casting='unsafe'
promote_types : v.dtype, np.float32 | 'i4', 'f4'
result_type : v, w | v, 2 | v, 2.5 | v.dtype, np.float32 | v, x
min_scalar_type : 3 | 2.5 | z
common_type : v, w | v, x
issubdtype : v.dtype, np.floating | np.int32, np.integer
isdtype : v.dtype, 'integral'
finfo iinfo : v.dtype
dtype : 'f4' | float
mintypecode : ['d', 'f']
typename : 'd'
array2string array_repr array_str : v | m | z
array2string : v, precision=2
format_float_positional format_float_scientific : 2.5 | z
base_repr binary_repr : 5 | 10, 3
get_printoptions geterr getbufsize geterrcall : ()
iterable : v | 3
vectorize : lambda a: a
linalg.LinAlgError : 'x'
lib.stride_tricks.sliding_window_view : v, 3, writeable=False | v, 3, subok=False | v, 3 | m, (2, 2) | m, 2, axis=0
lib.stride_tricks.as_strided : v, (2, 2), (8, 8), writeable=False | v, (2, 2), (8, 8), subok=False | v, (2, 2), (8, 8)
testing.assert_allclose testing.assert_array_equal testing.assert_equal testing.assert_array_almost_equal testing.assert_almost_equal : v, v | v, w
testing.assert_array_less : x, x + 1 | g, g + g.dtype.type(1)
ndarray.T ndarray.mT ndarray.real ndarray.imag ndarray.flat ndarray.shape ndarray.size ndarray.ndim ndarray.dtype ndarray.itemsize ndarray.nbytes ndarray.strides ndarray.flags ndarray.base ndarray.data ndarray.ctypes ndarray.device : v | m | t | z | e
random.rand : () | 3 | 2, 3
random.randn random.random_sample random.standard_normal random.random random.ranf random.sample random.standard_cauchy random.standard_exponential : () | 3
random.uniform random.normal random.laplace random.logistic random.gumbel random.lognormal : () | 0.0, 1.0 | 0.0, 1.0, 3 | 0, 1, size=(2, 2) | x
random.randint : 5 | 0, 5 | 0, 5, 3 | 5, size=(2, 2) | 5, dtype=np.int32 | 0, 5, 3, np.uint8
random.random_integers : 2, 5 | 2, 5, size=3 | 5
random.choice : 5 | 5, 3 | v | v, 2 | v, 3, False | 5, 3, p=[0.2] * 5
random.permutation : 5 | v | m
random.shuffle : v | m
random.seed : 3
random.exponential random.poisson random.rayleigh random.chisquare random.standard_gamma random.pareto random.weibull random.power random.geometric random.logseries random.standard_t
 : 0.5 | 0.5, 3 | x / 10 + 0.1
random.zipf : 2.5 | 2.5, 3
random.binomial random.negative_binomial : 5, 0.5 | 5, 0.5, 3
random.beta random.gamma random.f random.wald random.vonmises : 1.0, 2.0 | 1.0, 2.0, 3
random.dirichlet : [1.0, 2.0] | [1.0, 2.0], 3
random.multinomial : 5, [0.5, 0.5], size=3 | 5, [0.5, 0.5]
random.multivariate_normal : [0.0, 1.0], [[1.0, 0], [0, 1]] | [0.0, 1.0], [[1.0, 0], [0, 1]], 3
random.triangular : 0, 1, 2 | 0, 1, 2, 3
random.hypergeometric : 5, 5, 3 | 5, 5, 3, 2
random.Generator.integers : 5 | 0, 5 | 0, 5, 3 | 5, size=(2, 2) | 5, dtype=np.int32 | 0, 5, 3, np.uint8 | 5, endpoint=True
random.Generator.random random.Generator.standard_normal random.Generator.standard_exponential : () | 3 | (2, 2) | 3, np.float32 | 3, dtype=np.float64
random.Generator.permutation random.Generator.shuffle : m, axis=1 | m, 1
random.Generator.standard_exponential : 3, method='inv'
random.Generator.standard_gamma : 2.0, 3, np.float32
random.Generator.permuted : v | m | m, axis=0
random.Generator.choice : m | m, 2, axis=1 | v, 3, shuffle=False
random.Generator.spawn : 2
random.bytes : 4
random.get_state : ()
random.default_rng : 3 | ()
array2string : v, 40 | v, max_line_width=20 | v, suppress_small=True | v, separator=', ' | v, prefix='x: ', suffix=';' | l, threshold=5, edgeitems=2 | v, sign='+' | v, floatmode='fixed' | v, legacy='1.25' | v, formatter={'all': repr}
array_repr array_str : v, 20 | v, max_line_width=20 | v, precision=2 | v, suppress_small=True
base_repr : 10, base=3 | 10, 3, padding=4 | 10, 3, 4
binary_repr : 5, width=8 | -3, 8
format_float_positional @float : z, precision=1 | z, precision=3, unique=False | z, unique=True, fractional=False, precision=1 | z, trim='-' | z, sign=True | z, pad_left=4, pad_right=4 | z, min_digits=3
format_float_scientific @float : z, precision=1 | z, precision=3, unique=False | z, trim='-' | z, sign=True, pad_left=4 | z, exp_digits=3 | z, min_digits=3
mintypecode : ['d', 'f'], typeset='GDFgdf' | ['i'], default='f'
packbits : b | bm | bm, axis=1 | bm, 0 | b, bitorder='little' | kn | z
packbits @int : d
unpackbits : np.packbits(b) | np.packbits(bm, axis=1), axis=1 | np.packbits(b), count=6 | np.packbits(b), None, 6, 'little' | np.packbits(b), bitorder='little' | v
frombuffer : v, v.dtype | v.data, v.dtype | v.tobytes(), v.dtype | v.tobytes(), dtype=v.dtype, count=2 | v.tobytes(), v.dtype, 2, v.itemsize | v.tobytes(), v.dtype, offset=v.itemsize | v.tobytes(), v.dtype, like=None
fromstring : '1 2 3', sep=' ' | '1 2 3', int, 2, ' ' | '1 2 3', 'f4', sep=' ' | '1,2', dtype=int, sep=',' | '1 2 3', float, 2, ' ' | '1 2 3', count=2, sep=' ' | '1 2', sep=' ', like=None
fromiter : range(3), float, like=None | iter(v), v.dtype | (x for x in v), v.dtype, v.size
loadtxt : ['1 2', '3 4'] | ['1,2', '3,4'], delimiter=',' | ['1 2', '3 4'], int | ['1 2', '3 4'], dtype=np.float32, usecols=(1,) | ['a', '1 2'], skiprows=1 | ['1 2', '3 4'], unpack=True | ['1 2'], ndmin=2 | ['% 1', '2'], comments='%' | ['1 2', '3 4'], max_rows=1 | ['1 2'], converters=float | ['1 2'], encoding=None, quotechar='"'
genfromtxt : ['1 2', '3 4'] | ['1,2', ',4'], delimiter=',' | ['1,2', ',4'], delimiter=',', filling_values=9 | ['1 2', '3 4'], usecols=(1,) | ['a', '1 2'], skip_header=1 | ['1 2', 'b'], skip_footer=1 | ['1 2', '3 4'], unpack=True | ['1 2'], ndmin=2 | ['1 2', '3 4'], max_rows=1 | ['1 N'], missing_values='N' | ['1 x'], invalid_raise=False | ['1 2'], dtype=int, encoding=None, comments=None
savetxt : '/dev/null', m | '/dev/null', m, '%g' | '/dev/null', m, fmt='%.2e', delimiter=',', newline=';', header='h', footer='f', comments='%', encoding='latin1'
save : '/dev/null', m | '/dev/null', m, allow_pickle=False
isnat : np.array(['NaT', '2020-01-01'], 'M8[D]') | v
busday_count : '2020-01-01', '2020-02-01' | '2020-01-01', '2020-02-01', weekmask='1111110' | '2020-01-01', '2020-02-01', holidays=['2020-01-06']
busday_offset : '2020-01-01', 3 | '2020-01-04', 3, roll='forward' | '2020-01-04', k, 'backward', weekmask='1111110'
is_busday : '2020-01-01' | ['2020-01-04', '2020-01-06'], weekmask='1111111'
datetime_data : 'M8[3D]'
datetime_as_string : np.datetime64('2020-01-01') | np.datetime64('2020-01-01T10'), unit='m' | np.datetime64('2020-01-01T10'), timezone='UTC', casting='unsafe'
poly1d : [1, 2, 3] | v | v[:3], True | v[:3], variable='z' | v[:3], r=True
may_share_memory shares_memory : v, v[1:] | v, w | v, v, max_work=1
nditer : m | m, ['multi_index'] | m, flags=['c_index'] | m, op_flags=[['readonly']] | m, order='F' | m, casting='no' | [m, n] | m, op_dtypes=[m.dtype] | r, op_axes=[[-1, 0]], itershape=(2, 4) | m, flags=['buffered'], buffersize=4
nested_iters : m, [[0], [1]] | m, [[0], [1]], flags=['multi_index'] | m, [[1], [0]], op_flags=[['readonly']], order='C', casting='no', buffersize=0
vectorize : lambda a: a, otypes='d' | lambda a: a, otypes=[float], doc='what', cache=True | lambda a, b: a, excluded={1} | lambda a: a, signature='(n)->(n)'
frompyfunc : lambda a, b: a, 2, 1 | lambda a: a, 1, 1, identity=0
dtype : 'f4', align=True | float, False, True | 'f4', copy=True
ndarray.partition ndarray.argpartition @order : v, 2, order=None
ndarray.setflags : v, align=True | v, write=True, uic=False
ndarray.tofile : v, '/dev/null', sep=',', format='%s' | v, '/dev/null', ','
random.multivariate_normal : [0.0, 1.0], [[1.0, 0], [0, 1]], check_valid='ignore', tol=1e-6 | [0.0, 1.0], [[1.0, 2], [2, 1]], check_valid='raise'
random.noncentral_chisquare : 3, 1.0 | 3, 1.0, 4 | x + 1, 1.0
random.noncentral_f : 3, 4, 1.0 | 3, 4, 1.0, 2
random.get_state : legacy=False
random.set_state : np.random.RandomState(3).get_state()
random.RandomState.tomaxint : () | 3
random.Generator.multivariate_normal : [0.0, 1.0], [[1.0, 0], [0, 1]], method='cholesky' | [0.0, 1.0], [[1.0, 0], [0, 1]], 3, 'ignore', 1e-6, method='eigh'
random.Generator.multivariate_hypergeometric : [3, 4, 5], 4 | [3, 4, 5], 4, 2 | [3, 4, 5], 4, size=2, method='count'
random.Generator.random random.Generator.standard_normal random.Generator.standard_exponential : out=od
random.Generator.random random.Generator.standard_normal : (6,), np.float64, od
random.Generator.standard_gamma : 2.0, out=od
random.Generator.permuted : x, out=od | m, axis=1, out=om
"""
