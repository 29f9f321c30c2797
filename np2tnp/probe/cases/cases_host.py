# ruff: noqa: E501
"""Cases of what NumPy goes on doing: text, files, bits, dates, iterators, states of generators (see all_cases.py).

Their arrays come from the migrated part of a function and go back to it: what is tried is that way there and back.
"""

TABLE = """
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
matmul @wide : q, p, signature='dd->d'
vecdot @wide : v, w, signature='dd->d'
matvec @wide : q, q[0], signature='dd->d'
vecmat @wide : q[0], q, signature='dd->d'
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
