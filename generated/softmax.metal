// softmax_rows
#pragma clang diagnostic ignored "-Wmissing-prototypes"

#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

template<typename T>
[[clang::optnone]] T spvFMul(T l, T r)
{
    return fma(l, r, T(0));
}

template<typename T, int Cols, int Rows>
[[clang::optnone]] vec<T, Cols> spvFMulVectorMatrix(vec<T, Rows> v, matrix<T, Cols, Rows> m)
{
    vec<T, Cols> res = vec<T, Cols>(0);
    for (uint i = Rows; i > 0; --i)
    {
        vec<T, Cols> tmp(0);
        for (uint j = 0; j < Cols; ++j)
        {
            tmp[j] = m[j][i - 1];
        }
        res = fma(tmp, vec<T, Cols>(v[i - 1]), res);
    }
    return res;
}

template<typename T, int Cols, int Rows>
[[clang::optnone]] vec<T, Rows> spvFMulMatrixVector(matrix<T, Cols, Rows> m, vec<T, Cols> v)
{
    vec<T, Rows> res = vec<T, Rows>(0);
    for (uint i = Cols; i > 0; --i)
    {
        res = fma(m[i - 1], vec<T, Rows>(v[i - 1]), res);
    }
    return res;
}

template<typename T, int LCols, int LRows, int RCols, int RRows>
[[clang::optnone]] matrix<T, RCols, LRows> spvFMulMatrixMatrix(matrix<T, LCols, LRows> l, matrix<T, RCols, RRows> r)
{
    matrix<T, RCols, LRows> res;
    for (uint i = 0; i < RCols; i++)
    {
        vec<T, RCols> tmp(0);
        for (uint j = 0; j < LCols; j++)
        {
            tmp = fma(vec<T, RCols>(r[i][j]), l[j], tmp);
        }
        res[i] = tmp;
    }
    return res;
}

template<typename T>
[[clang::optnone]] T spvFAdd(T l, T r)
{
    return fma(T(1), l, r);
}

template<typename T>
[[clang::optnone]] T spvFSub(T l, T r)
{
    return fma(T(-1), r, l);
}

struct Push
{
    int N;
    int X_offset;
    int X_stride_0;
    int Y_offset;
    int Y_stride_0;
    int Y_stride_1;
    uint base_x;
    uint base_y;
    uint base_z;
};

struct X_block
{
    float X[1];
};

struct Y_block
{
    float Y[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(128u, 1u, 1u);

kernel void main0(const device X_block& _231 [[buffer(0)]], device Y_block& _634 [[buffer(1)]], constant Push& _169 [[buffer(2)]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint gl_LocalInvocationIndex [[thread_index_in_threadgroup]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]])
{
    threadgroup float Largest_rows1[1];
    threadgroup float parts2[128];
    threadgroup float Total_rows1[1];
    threadgroup float parts3[128];
    int _175 = int(gl_WorkGroupID.x + _169.base_x);
    int _179 = int(gl_LocalInvocationIndex);
    bool _181 = _179 < 1;
    if (_181)
    {
        Largest_rows1[0] = as_type<float>(0xff800000u /* -inf */);
    }
    int _197 = int(gl_LocalInvocationID.x);
    int _207 = -(((-_169.N) + _197) >> 7);
    parts2[_197] = as_type<float>(0xff800000u /* -inf */);
    float _1235;
    _1235 = parts2[_197];
    for (int _1234 = 0; _1234 < _207; )
    {
        int _245 = ((_169.X_offset + (_175 * _169.X_stride_0)) + _197) + (_1234 * 128);
        int _695 = as_type<int>(_1235);
        int _711 = as_type<int>(_231.X[_245]);
        _1235 = ((((_695 & 2147483647) > 2139095040) ? 2147483647 : (_695 ^ ((_695 >> 31) & 2147483647))) > (((_711 & 2147483647) > 2139095040) ? 2147483647 : (_711 ^ ((_711 >> 31) & 2147483647)))) ? _1235 : _231.X[_245];
        _1234++;
        continue;
    }
    parts2[_197] = _1235;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _265 = _179 < 64;
    if (_265)
    {
        int _271 = _179 + 64;
        int _739 = as_type<int>(parts2[_179]);
        int _755 = as_type<int>(parts2[_271]);
        parts2[_179] = ((((_739 & 2147483647) > 2139095040) ? 2147483647 : (_739 ^ ((_739 >> 31) & 2147483647))) > (((_755 & 2147483647) > 2139095040) ? 2147483647 : (_755 ^ ((_755 >> 31) & 2147483647)))) ? parts2[_179] : parts2[_271];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _285 = _179 < 32;
    if (_285)
    {
        int _291 = _179 + 32;
        int _783 = as_type<int>(parts2[_179]);
        int _799 = as_type<int>(parts2[_291]);
        parts2[_179] = ((((_783 & 2147483647) > 2139095040) ? 2147483647 : (_783 ^ ((_783 >> 31) & 2147483647))) > (((_799 & 2147483647) > 2139095040) ? 2147483647 : (_799 ^ ((_799 >> 31) & 2147483647)))) ? parts2[_179] : parts2[_291];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _305 = _179 < 16;
    if (_305)
    {
        int _311 = _179 + 16;
        int _827 = as_type<int>(parts2[_179]);
        int _843 = as_type<int>(parts2[_311]);
        parts2[_179] = ((((_827 & 2147483647) > 2139095040) ? 2147483647 : (_827 ^ ((_827 >> 31) & 2147483647))) > (((_843 & 2147483647) > 2139095040) ? 2147483647 : (_843 ^ ((_843 >> 31) & 2147483647)))) ? parts2[_179] : parts2[_311];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _325 = _179 < 8;
    if (_325)
    {
        int _331 = _179 + 8;
        int _871 = as_type<int>(parts2[_179]);
        int _887 = as_type<int>(parts2[_331]);
        parts2[_179] = ((((_871 & 2147483647) > 2139095040) ? 2147483647 : (_871 ^ ((_871 >> 31) & 2147483647))) > (((_887 & 2147483647) > 2139095040) ? 2147483647 : (_887 ^ ((_887 >> 31) & 2147483647)))) ? parts2[_179] : parts2[_331];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _345 = _179 < 4;
    if (_345)
    {
        int _351 = _179 + 4;
        int _915 = as_type<int>(parts2[_179]);
        int _931 = as_type<int>(parts2[_351]);
        parts2[_179] = ((((_915 & 2147483647) > 2139095040) ? 2147483647 : (_915 ^ ((_915 >> 31) & 2147483647))) > (((_931 & 2147483647) > 2139095040) ? 2147483647 : (_931 ^ ((_931 >> 31) & 2147483647)))) ? parts2[_179] : parts2[_351];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _364 = _179 < 2;
    if (_364)
    {
        int _370 = _179 + 2;
        int _959 = as_type<int>(parts2[_179]);
        int _975 = as_type<int>(parts2[_370]);
        parts2[_179] = ((((_959 & 2147483647) > 2139095040) ? 2147483647 : (_959 ^ ((_959 >> 31) & 2147483647))) > (((_975 & 2147483647) > 2139095040) ? 2147483647 : (_975 ^ ((_975 >> 31) & 2147483647)))) ? parts2[_179] : parts2[_370];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_181)
    {
        int _389 = _179 + 1;
        int _1003 = as_type<int>(parts2[_179]);
        int _1019 = as_type<int>(parts2[_389]);
        parts2[_179] = ((((_1003 & 2147483647) > 2139095040) ? 2147483647 : (_1003 ^ ((_1003 >> 31) & 2147483647))) > (((_1019 & 2147483647) > 2139095040) ? 2147483647 : (_1019 ^ ((_1019 >> 31) & 2147483647)))) ? parts2[_179] : parts2[_389];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_181)
    {
        int _1047 = as_type<int>(Largest_rows1[0]);
        int _1063 = as_type<int>(parts2[0]);
        Largest_rows1[0] = ((((_1047 & 2147483647) > 2139095040) ? 2147483647 : (_1047 ^ ((_1047 >> 31) & 2147483647))) > (((_1063 & 2147483647) > 2139095040) ? 2147483647 : (_1063 ^ ((_1063 >> 31) & 2147483647)))) ? Largest_rows1[0] : parts2[0];
    }
    if (_181)
    {
        Total_rows1[0] = 0.0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    parts3[_197] = -0.0;
    float _1237;
    _1237 = parts3[_197];
    for (int _1236 = 0; _1236 < _207; )
    {
        float _469 = spvFSub(_231.X[((_169.X_offset + (_175 * _169.X_stride_0)) + _197) + (_1236 * 128)], Largest_rows1[0]);
        float _1087 = (_469 > 89.0) ? 89.0 : _469;
        float _1091 = (_1087 < (-104.0)) ? (-104.0) : _1087;
        float _1094 = spvFAdd(spvFMul(_1091, 1.44269502162933349609375), 12582912.0);
        float _1096 = spvFSub(_1094, 12582912.0);
        float _1103 = spvFSub(spvFSub(_1091, spvFMul(_1096, 0.693145751953125)), spvFMul(_1096, 1.4286067653301870450377464294434e-06));
        uint _1140 = as_type<uint>(_1094) - 1262485250u;
        uint _1142 = _1140 >> uint(1);
        _1237 = spvFAdd(_1237, spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(_1103, spvFMul(spvFMul(_1103, _1103), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(_1103, 0.001395060331560671329498291015625), 0.008368953131139278411865234375), _1103), 0.0416662059724330902099609375), _1103), 0.16666518151760101318359375), _1103), 0.5)))), as_type<float>(_1142 << uint(23))), as_type<float>((_1140 - _1142) << uint(23))));
        _1236++;
        continue;
    }
    parts3[_197] = _1237;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_265)
    {
        parts3[_179] = spvFAdd(parts3[_179], parts3[_179 + 64]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_285)
    {
        parts3[_179] = spvFAdd(parts3[_179], parts3[_179 + 32]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_305)
    {
        parts3[_179] = spvFAdd(parts3[_179], parts3[_179 + 16]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_325)
    {
        parts3[_179] = spvFAdd(parts3[_179], parts3[_179 + 8]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_345)
    {
        parts3[_179] = spvFAdd(parts3[_179], parts3[_179 + 4]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_364)
    {
        parts3[_179] = spvFAdd(parts3[_179], parts3[_179 + 2]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_181)
    {
        parts3[_179] = spvFAdd(parts3[_179], parts3[_179 + 1]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_181)
    {
        Total_rows1[0] = spvFAdd(Total_rows1[0], parts3[0]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int _1238 = 0; _1238 < _207; )
    {
        int _645 = _1238 * 128;
        float _668 = spvFSub(_231.X[((_169.X_offset + (_175 * _169.X_stride_0)) + _197) + _645], Largest_rows1[0]);
        float _1167 = (_668 > 89.0) ? 89.0 : _668;
        float _1171 = (_1167 < (-104.0)) ? (-104.0) : _1167;
        float _1174 = spvFAdd(spvFMul(_1171, 1.44269502162933349609375), 12582912.0);
        float _1176 = spvFSub(_1174, 12582912.0);
        float _1183 = spvFSub(spvFSub(_1171, spvFMul(_1176, 0.693145751953125)), spvFMul(_1176, 1.4286067653301870450377464294434e-06));
        uint _1220 = as_type<uint>(_1174) - 1262485250u;
        uint _1222 = _1220 >> uint(1);
        _634.Y[(_169.Y_offset + (_175 * _169.Y_stride_0)) + ((_197 + _645) * _169.Y_stride_1)] = spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(_1183, spvFMul(spvFMul(_1183, _1183), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(_1183, 0.001395060331560671329498291015625), 0.008368953131139278411865234375), _1183), 0.0416662059724330902099609375), _1183), 0.16666518151760101318359375), _1183), 0.5)))), as_type<float>(_1222 << uint(23))), as_type<float>((_1220 - _1222) << uint(23))) / Total_rows1[0];
        _1238++;
        continue;
    }
}


// softmax_rows1
#pragma clang diagnostic ignored "-Wmissing-prototypes"

#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

template<typename T>
[[clang::optnone]] T spvFMul(T l, T r)
{
    return fma(l, r, T(0));
}

template<typename T, int Cols, int Rows>
[[clang::optnone]] vec<T, Cols> spvFMulVectorMatrix(vec<T, Rows> v, matrix<T, Cols, Rows> m)
{
    vec<T, Cols> res = vec<T, Cols>(0);
    for (uint i = Rows; i > 0; --i)
    {
        vec<T, Cols> tmp(0);
        for (uint j = 0; j < Cols; ++j)
        {
            tmp[j] = m[j][i - 1];
        }
        res = fma(tmp, vec<T, Cols>(v[i - 1]), res);
    }
    return res;
}

template<typename T, int Cols, int Rows>
[[clang::optnone]] vec<T, Rows> spvFMulMatrixVector(matrix<T, Cols, Rows> m, vec<T, Cols> v)
{
    vec<T, Rows> res = vec<T, Rows>(0);
    for (uint i = Cols; i > 0; --i)
    {
        res = fma(m[i - 1], vec<T, Rows>(v[i - 1]), res);
    }
    return res;
}

template<typename T, int LCols, int LRows, int RCols, int RRows>
[[clang::optnone]] matrix<T, RCols, LRows> spvFMulMatrixMatrix(matrix<T, LCols, LRows> l, matrix<T, RCols, RRows> r)
{
    matrix<T, RCols, LRows> res;
    for (uint i = 0; i < RCols; i++)
    {
        vec<T, RCols> tmp(0);
        for (uint j = 0; j < LCols; j++)
        {
            tmp = fma(vec<T, RCols>(r[i][j]), l[j], tmp);
        }
        res[i] = tmp;
    }
    return res;
}

template<typename T>
[[clang::optnone]] T spvFAdd(T l, T r)
{
    return fma(T(1), l, r);
}

template<typename T>
[[clang::optnone]] T spvFSub(T l, T r)
{
    return fma(T(-1), r, l);
}

struct Push
{
    int M;
    int N;
    int X_offset;
    int X_stride_0;
    int Y_offset;
    int Y_stride_0;
    int Y_stride_1;
    uint base_x;
    uint base_y;
    uint base_z;
};

struct X_block
{
    float X[1];
};

struct Y_block
{
    float Y[1];
};

constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(32u, 4u, 1u);

kernel void main0(const device X_block& _264 [[buffer(0)]], device Y_block& _842 [[buffer(1)]], constant Push& _169 [[buffer(2)]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint gl_LocalInvocationIndex [[thread_index_in_threadgroup]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]])
{
    threadgroup float Largest_rows[4];
    threadgroup float parts[128];
    threadgroup float Total_rows[4];
    threadgroup float parts1[128];
    int _177 = int(gl_WorkGroupID.x + _169.base_x) * 4;
    int _185 = min(4, (_169.M - _177));
    int _189 = int(gl_LocalInvocationIndex);
    for (int _1360 = _189; _1360 < _185; )
    {
        Largest_rows[_1360] = as_type<float>(0xff800000u /* -inf */);
        _1360 += 128;
        continue;
    }
    int _215 = int(gl_LocalInvocationID.y);
    int _219 = int(gl_LocalInvocationID.x);
    bool _222 = _215 < _185;
    if (_222)
    {
        int _233 = -(((-_169.N) + _219) >> 5);
        int _242 = (_215 * 32) + _219;
        parts[_242] = as_type<float>(0xff800000u /* -inf */);
        float _1362;
        _1362 = parts[_242];
        for (int _1361 = 0; _1361 < _233; )
        {
            int _280 = ((_169.X_offset + ((_177 + _215) * _169.X_stride_0)) + _219) + (_1361 * 32);
            int _909 = as_type<int>(_1362);
            int _925 = as_type<int>(_264.X[_280]);
            _1362 = ((((_909 & 2147483647) > 2139095040) ? 2147483647 : (_909 ^ ((_909 >> 31) & 2147483647))) > (((_925 & 2147483647) > 2139095040) ? 2147483647 : (_925 ^ ((_925 >> 31) & 2147483647)))) ? _1362 : _264.X[_280];
            _1361++;
            continue;
        }
        parts[_242] = _1362;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _303 = _189 < 64;
    if (_303)
    {
        int _308 = _189 >> 4;
        if (_308 < _185)
        {
            int _321 = (_308 * 32) + (_189 & 15);
            int _331 = _321 + 16;
            int _953 = as_type<int>(parts[_321]);
            int _969 = as_type<int>(parts[_331]);
            parts[_321] = ((((_953 & 2147483647) > 2139095040) ? 2147483647 : (_953 ^ ((_953 >> 31) & 2147483647))) > (((_969 & 2147483647) > 2139095040) ? 2147483647 : (_969 ^ ((_969 >> 31) & 2147483647)))) ? parts[_321] : parts[_331];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _344 = _189 < 32;
    if (_344)
    {
        int _349 = _189 >> 3;
        if (_349 < _185)
        {
            int _361 = (_349 * 32) + (_189 & 7);
            int _371 = _361 + 8;
            int _997 = as_type<int>(parts[_361]);
            int _1013 = as_type<int>(parts[_371]);
            parts[_361] = ((((_997 & 2147483647) > 2139095040) ? 2147483647 : (_997 ^ ((_997 >> 31) & 2147483647))) > (((_1013 & 2147483647) > 2139095040) ? 2147483647 : (_1013 ^ ((_1013 >> 31) & 2147483647)))) ? parts[_361] : parts[_371];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _384 = _189 < 16;
    if (_384)
    {
        int _389 = _189 >> 2;
        if (_389 < _185)
        {
            int _401 = (_389 * 32) + (_189 & 3);
            int _410 = _401 + 4;
            int _1041 = as_type<int>(parts[_401]);
            int _1057 = as_type<int>(parts[_410]);
            parts[_401] = ((((_1041 & 2147483647) > 2139095040) ? 2147483647 : (_1041 ^ ((_1041 >> 31) & 2147483647))) > (((_1057 & 2147483647) > 2139095040) ? 2147483647 : (_1057 ^ ((_1057 >> 31) & 2147483647)))) ? parts[_401] : parts[_410];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _423 = _189 < 8;
    if (_423)
    {
        int _428 = _189 >> 1;
        if (_428 < _185)
        {
            int _440 = (_428 * 32) + (_189 & 1);
            int _449 = _440 + 2;
            int _1085 = as_type<int>(parts[_440]);
            int _1101 = as_type<int>(parts[_449]);
            parts[_440] = ((((_1085 & 2147483647) > 2139095040) ? 2147483647 : (_1085 ^ ((_1085 >> 31) & 2147483647))) > (((_1101 & 2147483647) > 2139095040) ? 2147483647 : (_1101 ^ ((_1101 >> 31) & 2147483647)))) ? parts[_440] : parts[_449];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _462 = _189 < 4;
    if (_462)
    {
        if (_189 < _185)
        {
            int _473 = _189 * 32;
            int _481 = _473 + 1;
            int _1129 = as_type<int>(parts[_473]);
            int _1145 = as_type<int>(parts[_481]);
            parts[_473] = ((((_1129 & 2147483647) > 2139095040) ? 2147483647 : (_1129 ^ ((_1129 >> 31) & 2147483647))) > (((_1145 & 2147483647) > 2139095040) ? 2147483647 : (_1145 ^ ((_1145 >> 31) & 2147483647)))) ? parts[_473] : parts[_481];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int _1363 = _189; _1363 < _185; )
    {
        int _504 = _1363 * 32;
        int _1173 = as_type<int>(Largest_rows[_1363]);
        int _1189 = as_type<int>(parts[_504]);
        Largest_rows[_1363] = ((((_1173 & 2147483647) > 2139095040) ? 2147483647 : (_1173 ^ ((_1173 >> 31) & 2147483647))) > (((_1189 & 2147483647) > 2139095040) ? 2147483647 : (_1189 ^ ((_1189 >> 31) & 2147483647)))) ? Largest_rows[_1363] : parts[_504];
        _1363 += 128;
        continue;
    }
    for (int _1364 = _189; _1364 < _185; )
    {
        Total_rows[_1364] = 0.0;
        _1364 += 128;
        continue;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_222)
    {
        int _552 = -(((-_169.N) + _219) >> 5);
        int _557 = (_215 * 32) + _219;
        parts1[_557] = -0.0;
        float _1366;
        _1366 = parts1[_557];
        for (int _1365 = 0; _1365 < _552; )
        {
            float _596 = spvFSub(_264.X[((_169.X_offset + ((_177 + _215) * _169.X_stride_0)) + _219) + (_1365 * 32)], Largest_rows[_215]);
            float _1213 = (_596 > 89.0) ? 89.0 : _596;
            float _1217 = (_1213 < (-104.0)) ? (-104.0) : _1213;
            float _1220 = spvFAdd(spvFMul(_1217, 1.44269502162933349609375), 12582912.0);
            float _1222 = spvFSub(_1220, 12582912.0);
            float _1229 = spvFSub(spvFSub(_1217, spvFMul(_1222, 0.693145751953125)), spvFMul(_1222, 1.4286067653301870450377464294434e-06));
            uint _1266 = as_type<uint>(_1220) - 1262485250u;
            uint _1268 = _1266 >> uint(1);
            _1366 = spvFAdd(_1366, spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(_1229, spvFMul(spvFMul(_1229, _1229), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(_1229, 0.001395060331560671329498291015625), 0.008368953131139278411865234375), _1229), 0.0416662059724330902099609375), _1229), 0.16666518151760101318359375), _1229), 0.5)))), as_type<float>(_1268 << uint(23))), as_type<float>((_1266 - _1268) << uint(23))));
            _1365++;
            continue;
        }
        parts1[_557] = _1366;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_303)
    {
        int _617 = _189 >> 4;
        if (_617 < _185)
        {
            int _629 = (_617 * 32) + (_189 & 15);
            parts1[_629] = spvFAdd(parts1[_629], parts1[_629 + 16]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_344)
    {
        int _654 = _189 >> 3;
        if (_654 < _185)
        {
            int _666 = (_654 * 32) + (_189 & 7);
            parts1[_666] = spvFAdd(parts1[_666], parts1[_666 + 8]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_384)
    {
        int _691 = _189 >> 2;
        if (_691 < _185)
        {
            int _703 = (_691 * 32) + (_189 & 3);
            parts1[_703] = spvFAdd(parts1[_703], parts1[_703 + 4]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_423)
    {
        int _728 = _189 >> 1;
        if (_728 < _185)
        {
            int _740 = (_728 * 32) + (_189 & 1);
            parts1[_740] = spvFAdd(parts1[_740], parts1[_740 + 2]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_462)
    {
        if (_189 < _185)
        {
            int _771 = _189 * 32;
            parts1[_771] = spvFAdd(parts1[_771], parts1[_771 + 1]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int _1367 = _189; _1367 < _185; )
    {
        Total_rows[_1367] = spvFAdd(Total_rows[_1367], parts1[_1367 * 32]);
        _1367 += 128;
        continue;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_222)
    {
        int _829 = -(((-_169.N) + _219) >> 5);
        for (int _1368 = 0; _1368 < _829; )
        {
            int _847 = _177 + _215;
            int _854 = _1368 * 32;
            float _880 = spvFSub(_264.X[((_169.X_offset + (_847 * _169.X_stride_0)) + _219) + _854], Largest_rows[_215]);
            float _1293 = (_880 > 89.0) ? 89.0 : _880;
            float _1297 = (_1293 < (-104.0)) ? (-104.0) : _1293;
            float _1300 = spvFAdd(spvFMul(_1297, 1.44269502162933349609375), 12582912.0);
            float _1302 = spvFSub(_1300, 12582912.0);
            float _1309 = spvFSub(spvFSub(_1297, spvFMul(_1302, 0.693145751953125)), spvFMul(_1302, 1.4286067653301870450377464294434e-06));
            uint _1346 = as_type<uint>(_1300) - 1262485250u;
            uint _1348 = _1346 >> uint(1);
            _842.Y[(_169.Y_offset + (_847 * _169.Y_stride_0)) + ((_219 + _854) * _169.Y_stride_1)] = spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(_1309, spvFMul(spvFMul(_1309, _1309), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(_1309, 0.001395060331560671329498291015625), 0.008368953131139278411865234375), _1309), 0.0416662059724330902099609375), _1309), 0.16666518151760101318359375), _1309), 0.5)))), as_type<float>(_1348 << uint(23))), as_type<float>((_1346 - _1348) << uint(23))) / Total_rows[_215];
            _1368++;
            continue;
        }
    }
}


// softmax_grid
#pragma clang diagnostic ignored "-Wmissing-prototypes"

#include <metal_stdlib>
#include <simd/simd.h>

using namespace metal;

template<typename T>
[[clang::optnone]] T spvFMul(T l, T r)
{
    return fma(l, r, T(0));
}

template<typename T, int Cols, int Rows>
[[clang::optnone]] vec<T, Cols> spvFMulVectorMatrix(vec<T, Rows> v, matrix<T, Cols, Rows> m)
{
    vec<T, Cols> res = vec<T, Cols>(0);
    for (uint i = Rows; i > 0; --i)
    {
        vec<T, Cols> tmp(0);
        for (uint j = 0; j < Cols; ++j)
        {
            tmp[j] = m[j][i - 1];
        }
        res = fma(tmp, vec<T, Cols>(v[i - 1]), res);
    }
    return res;
}

template<typename T, int Cols, int Rows>
[[clang::optnone]] vec<T, Rows> spvFMulMatrixVector(matrix<T, Cols, Rows> m, vec<T, Cols> v)
{
    vec<T, Rows> res = vec<T, Rows>(0);
    for (uint i = Cols; i > 0; --i)
    {
        res = fma(m[i - 1], vec<T, Rows>(v[i - 1]), res);
    }
    return res;
}

template<typename T, int LCols, int LRows, int RCols, int RRows>
[[clang::optnone]] matrix<T, RCols, LRows> spvFMulMatrixMatrix(matrix<T, LCols, LRows> l, matrix<T, RCols, RRows> r)
{
    matrix<T, RCols, LRows> res;
    for (uint i = 0; i < RCols; i++)
    {
        vec<T, RCols> tmp(0);
        for (uint j = 0; j < LCols; j++)
        {
            tmp = fma(vec<T, RCols>(r[i][j]), l[j], tmp);
        }
        res[i] = tmp;
    }
    return res;
}

template<typename T>
[[clang::optnone]] T spvFAdd(T l, T r)
{
    return fma(T(1), l, r);
}

template<typename T>
[[clang::optnone]] T spvFSub(T l, T r)
{
    return fma(T(-1), r, l);
}

struct Push
{
    int M;
    int N;
    int X_offset;
    int X_stride_0;
    int X_stride_1;
    int Y_offset;
    int Y_stride_0;
    int Y_stride_1;
    uint base_x;
    uint base_y;
    uint base_z;
};

constant uint _174_tmp [[function_constant(0)]];
constant uint _174 = is_function_constant_defined(_174_tmp) ? _174_tmp : 128u;
constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(_174, 1u, 1u);

struct X_block
{
    float X[1];
};

struct Y_block
{
    float Y[1];
};

kernel void main0(const device X_block& _207 [[buffer(0)]], device Y_block& _283 [[buffer(1)]], constant Push& _169 [[buffer(2)]], uint3 gl_GlobalInvocationID [[thread_position_in_grid]])
{
    int _180 = int(gl_GlobalInvocationID.x + (_169.base_x * gl_WorkGroupSize.x));
    if (_180 < _169.M)
    {
        float _527;
        _527 = as_type<float>(0xff800000u /* -inf */);
        for (int _526 = 0; _526 < _169.N; )
        {
            int _222 = (_169.X_offset + (_180 * _169.X_stride_0)) + (_526 * _169.X_stride_1);
            int _339 = as_type<int>(_527);
            int _355 = as_type<int>(_207.X[_222]);
            _527 = ((((_339 & 2147483647) > 2139095040) ? 2147483647 : (_339 ^ ((_339 >> 31) & 2147483647))) > (((_355 & 2147483647) > 2139095040) ? 2147483647 : (_355 ^ ((_355 >> 31) & 2147483647)))) ? _527 : _207.X[_222];
            _526++;
            continue;
        }
        float _529;
        _529 = 0.0;
        for (int _528 = 0; _528 < _169.N; )
        {
            float _263 = spvFSub(_207.X[(_169.X_offset + (_180 * _169.X_stride_0)) + (_528 * _169.X_stride_1)], _527);
            float _379 = (_263 > 89.0) ? 89.0 : _263;
            float _383 = (_379 < (-104.0)) ? (-104.0) : _379;
            float _386 = spvFAdd(spvFMul(_383, 1.44269502162933349609375), 12582912.0);
            float _388 = spvFSub(_386, 12582912.0);
            float _395 = spvFSub(spvFSub(_383, spvFMul(_388, 0.693145751953125)), spvFMul(_388, 1.4286067653301870450377464294434e-06));
            uint _432 = as_type<uint>(_386) - 1262485250u;
            uint _434 = _432 >> uint(1);
            _529 = spvFAdd(_529, spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(_395, spvFMul(spvFMul(_395, _395), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(_395, 0.001395060331560671329498291015625), 0.008368953131139278411865234375), _395), 0.0416662059724330902099609375), _395), 0.16666518151760101318359375), _395), 0.5)))), as_type<float>(_434 << uint(23))), as_type<float>((_432 - _434) << uint(23))));
            _528++;
            continue;
        }
        for (int _530 = 0; _530 < _169.N; )
        {
            float _314 = spvFSub(_207.X[(_169.X_offset + (_180 * _169.X_stride_0)) + (_530 * _169.X_stride_1)], _527);
            float _459 = (_314 > 89.0) ? 89.0 : _314;
            float _463 = (_459 < (-104.0)) ? (-104.0) : _459;
            float _466 = spvFAdd(spvFMul(_463, 1.44269502162933349609375), 12582912.0);
            float _468 = spvFSub(_466, 12582912.0);
            float _475 = spvFSub(spvFSub(_463, spvFMul(_468, 0.693145751953125)), spvFMul(_468, 1.4286067653301870450377464294434e-06));
            uint _512 = as_type<uint>(_466) - 1262485250u;
            uint _514 = _512 >> uint(1);
            _283.Y[(_169.Y_offset + (_180 * _169.Y_stride_0)) + (_530 * _169.Y_stride_1)] = spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(_475, spvFMul(spvFMul(_475, _475), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(_475, 0.001395060331560671329498291015625), 0.008368953131139278411865234375), _475), 0.0416662059724330902099609375), _475), 0.16666518151760101318359375), _475), 0.5)))), as_type<float>(_514 << uint(23))), as_type<float>((_512 - _514) << uint(23))) / _529;
            _530++;
            continue;
        }
    }
}

