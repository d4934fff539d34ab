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

kernel void main0(const device X_block& _282 [[buffer(0)]], device Y_block& _685 [[buffer(1)]], constant Push& _220 [[buffer(2)]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint gl_LocalInvocationIndex [[thread_index_in_threadgroup]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]])
{
    threadgroup float Largest_rows1[1];
    threadgroup float parts2[128];
    threadgroup float Total_rows1[1];
    threadgroup float parts3[128];
    int _226 = int(gl_WorkGroupID.x + _220.base_x);
    int _230 = int(gl_LocalInvocationIndex);
    bool _232 = _230 < 1;
    if (_232)
    {
        Largest_rows1[0] = as_type<float>(0xff800000u /* -inf */);
    }
    int _248 = int(gl_LocalInvocationID.x);
    int _258 = -(((-_220.N) + _248) >> 7);
    parts2[_248] = as_type<float>(0xff800000u /* -inf */);
    float _1530;
    _1530 = parts2[_248];
    for (int _1529 = 0; _1529 < _258; )
    {
        int _296 = ((_220.X_offset + (_226 * _220.X_stride_0)) + _248) + (_1529 * 128);
        int _746 = as_type<int>(_1530);
        int _762 = as_type<int>(_282.X[_296]);
        _1530 = ((((_746 & 2147483647) > 2139095040) ? 2147483647 : (_746 ^ ((_746 >> 31) & 2147483647))) > (((_762 & 2147483647) > 2139095040) ? 2147483647 : (_762 ^ ((_762 >> 31) & 2147483647)))) ? _1530 : _282.X[_296];
        _1529++;
        continue;
    }
    parts2[_248] = _1530;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _316 = _230 < 64;
    if (_316)
    {
        int _322 = _230 + 64;
        int _790 = as_type<int>(parts2[_230]);
        int _806 = as_type<int>(parts2[_322]);
        parts2[_230] = ((((_790 & 2147483647) > 2139095040) ? 2147483647 : (_790 ^ ((_790 >> 31) & 2147483647))) > (((_806 & 2147483647) > 2139095040) ? 2147483647 : (_806 ^ ((_806 >> 31) & 2147483647)))) ? parts2[_230] : parts2[_322];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _336 = _230 < 32;
    if (_336)
    {
        int _342 = _230 + 32;
        int _834 = as_type<int>(parts2[_230]);
        int _850 = as_type<int>(parts2[_342]);
        parts2[_230] = ((((_834 & 2147483647) > 2139095040) ? 2147483647 : (_834 ^ ((_834 >> 31) & 2147483647))) > (((_850 & 2147483647) > 2139095040) ? 2147483647 : (_850 ^ ((_850 >> 31) & 2147483647)))) ? parts2[_230] : parts2[_342];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _356 = _230 < 16;
    if (_356)
    {
        int _362 = _230 + 16;
        int _878 = as_type<int>(parts2[_230]);
        int _894 = as_type<int>(parts2[_362]);
        parts2[_230] = ((((_878 & 2147483647) > 2139095040) ? 2147483647 : (_878 ^ ((_878 >> 31) & 2147483647))) > (((_894 & 2147483647) > 2139095040) ? 2147483647 : (_894 ^ ((_894 >> 31) & 2147483647)))) ? parts2[_230] : parts2[_362];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _376 = _230 < 8;
    if (_376)
    {
        int _382 = _230 + 8;
        int _922 = as_type<int>(parts2[_230]);
        int _938 = as_type<int>(parts2[_382]);
        parts2[_230] = ((((_922 & 2147483647) > 2139095040) ? 2147483647 : (_922 ^ ((_922 >> 31) & 2147483647))) > (((_938 & 2147483647) > 2139095040) ? 2147483647 : (_938 ^ ((_938 >> 31) & 2147483647)))) ? parts2[_230] : parts2[_382];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _396 = _230 < 4;
    if (_396)
    {
        int _402 = _230 + 4;
        int _966 = as_type<int>(parts2[_230]);
        int _982 = as_type<int>(parts2[_402]);
        parts2[_230] = ((((_966 & 2147483647) > 2139095040) ? 2147483647 : (_966 ^ ((_966 >> 31) & 2147483647))) > (((_982 & 2147483647) > 2139095040) ? 2147483647 : (_982 ^ ((_982 >> 31) & 2147483647)))) ? parts2[_230] : parts2[_402];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _415 = _230 < 2;
    if (_415)
    {
        int _421 = _230 + 2;
        int _1010 = as_type<int>(parts2[_230]);
        int _1026 = as_type<int>(parts2[_421]);
        parts2[_230] = ((((_1010 & 2147483647) > 2139095040) ? 2147483647 : (_1010 ^ ((_1010 >> 31) & 2147483647))) > (((_1026 & 2147483647) > 2139095040) ? 2147483647 : (_1026 ^ ((_1026 >> 31) & 2147483647)))) ? parts2[_230] : parts2[_421];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_232)
    {
        int _440 = _230 + 1;
        int _1054 = as_type<int>(parts2[_230]);
        int _1070 = as_type<int>(parts2[_440]);
        parts2[_230] = ((((_1054 & 2147483647) > 2139095040) ? 2147483647 : (_1054 ^ ((_1054 >> 31) & 2147483647))) > (((_1070 & 2147483647) > 2139095040) ? 2147483647 : (_1070 ^ ((_1070 >> 31) & 2147483647)))) ? parts2[_230] : parts2[_440];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_232)
    {
        int _1098 = as_type<int>(Largest_rows1[0]);
        int _1114 = as_type<int>(parts2[0]);
        Largest_rows1[0] = ((((_1098 & 2147483647) > 2139095040) ? 2147483647 : (_1098 ^ ((_1098 >> 31) & 2147483647))) > (((_1114 & 2147483647) > 2139095040) ? 2147483647 : (_1114 ^ ((_1114 >> 31) & 2147483647)))) ? Largest_rows1[0] : parts2[0];
    }
    if (_232)
    {
        Total_rows1[0] = 0.0;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    parts3[_248] = -0.0;
    float _1532;
    _1532 = parts3[_248];
    for (int _1531 = 0; _1531 < _258; )
    {
        float _520 = spvFSub(_282.X[((_220.X_offset + (_226 * _220.X_stride_0)) + _248) + (_1531 * 128)], Largest_rows1[0]);
        float _1132 = (_520 > 89.0) ? 89.0 : _520;
        float _1136 = (_1132 < (-104.0)) ? (-104.0) : _1132;
        float _1194 = spvFAdd(spvFMul(_1136, 1.44269502162933349609375), 12582912.0);
        float _1162 = spvFSub(_1194, 12582912.0);
        float _1208 = spvFAdd(spvFMul(_1162, -1.4286067653301870450377464294434e-06), spvFAdd(spvFMul(_1162, -0.693145751953125), _1136));
        uint _1313 = as_type<uint>(_1194) - 1262485250u;
        uint _1315 = _1313 >> uint(1);
        _1532 = spvFAdd(_1532, spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(spvFMul(spvFMul(_1208, _1208), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(0.001395060331560671329498291015625, _1208), 0.008368953131139278411865234375), _1208), 0.0416662059724330902099609375), _1208), 0.16666518151760101318359375), _1208), 0.5)), _1208)), as_type<float>(_1315 << uint(23))), as_type<float>((_1313 - _1315) << uint(23))));
        _1531++;
        continue;
    }
    parts3[_248] = _1532;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_316)
    {
        parts3[_230] = spvFAdd(parts3[_230], parts3[_230 + 64]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_336)
    {
        parts3[_230] = spvFAdd(parts3[_230], parts3[_230 + 32]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_356)
    {
        parts3[_230] = spvFAdd(parts3[_230], parts3[_230 + 16]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_376)
    {
        parts3[_230] = spvFAdd(parts3[_230], parts3[_230 + 8]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_396)
    {
        parts3[_230] = spvFAdd(parts3[_230], parts3[_230 + 4]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_415)
    {
        parts3[_230] = spvFAdd(parts3[_230], parts3[_230 + 2]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_232)
    {
        parts3[_230] = spvFAdd(parts3[_230], parts3[_230 + 1]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_232)
    {
        Total_rows1[0] = spvFAdd(Total_rows1[0], parts3[0]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int _1533 = 0; _1533 < _258; )
    {
        int _696 = _1533 * 128;
        float _719 = spvFSub(_282.X[((_220.X_offset + (_226 * _220.X_stride_0)) + _248) + _696], Largest_rows1[0]);
        float _1334 = (_719 > 89.0) ? 89.0 : _719;
        float _1338 = (_1334 < (-104.0)) ? (-104.0) : _1334;
        float _1396 = spvFAdd(spvFMul(_1338, 1.44269502162933349609375), 12582912.0);
        float _1364 = spvFSub(_1396, 12582912.0);
        float _1410 = spvFAdd(spvFMul(_1364, -1.4286067653301870450377464294434e-06), spvFAdd(spvFMul(_1364, -0.693145751953125), _1338));
        uint _1515 = as_type<uint>(_1396) - 1262485250u;
        uint _1517 = _1515 >> uint(1);
        _685.Y[(_220.Y_offset + (_226 * _220.Y_stride_0)) + ((_248 + _696) * _220.Y_stride_1)] = spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(spvFMul(spvFMul(_1410, _1410), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(0.001395060331560671329498291015625, _1410), 0.008368953131139278411865234375), _1410), 0.0416662059724330902099609375), _1410), 0.16666518151760101318359375), _1410), 0.5)), _1410)), as_type<float>(_1517 << uint(23))), as_type<float>((_1515 - _1517) << uint(23))) / Total_rows1[0];
        _1533++;
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

kernel void main0(const device X_block& _315 [[buffer(0)]], device Y_block& _893 [[buffer(1)]], constant Push& _220 [[buffer(2)]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]], uint gl_LocalInvocationIndex [[thread_index_in_threadgroup]], uint3 gl_LocalInvocationID [[thread_position_in_threadgroup]])
{
    threadgroup float Largest_rows[4];
    threadgroup float parts[128];
    threadgroup float Total_rows[4];
    threadgroup float parts1[128];
    int _228 = int(gl_WorkGroupID.x + _220.base_x) * 4;
    int _236 = min(4, (_220.M - _228));
    int _240 = int(gl_LocalInvocationIndex);
    for (int _1655 = _240; _1655 < _236; )
    {
        Largest_rows[_1655] = as_type<float>(0xff800000u /* -inf */);
        _1655 += 128;
        continue;
    }
    int _266 = int(gl_LocalInvocationID.y);
    int _270 = int(gl_LocalInvocationID.x);
    bool _273 = _266 < _236;
    if (_273)
    {
        int _284 = -(((-_220.N) + _270) >> 5);
        int _293 = (_266 * 32) + _270;
        parts[_293] = as_type<float>(0xff800000u /* -inf */);
        float _1657;
        _1657 = parts[_293];
        for (int _1656 = 0; _1656 < _284; )
        {
            int _331 = ((_220.X_offset + ((_228 + _266) * _220.X_stride_0)) + _270) + (_1656 * 32);
            int _960 = as_type<int>(_1657);
            int _976 = as_type<int>(_315.X[_331]);
            _1657 = ((((_960 & 2147483647) > 2139095040) ? 2147483647 : (_960 ^ ((_960 >> 31) & 2147483647))) > (((_976 & 2147483647) > 2139095040) ? 2147483647 : (_976 ^ ((_976 >> 31) & 2147483647)))) ? _1657 : _315.X[_331];
            _1656++;
            continue;
        }
        parts[_293] = _1657;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _354 = _240 < 64;
    if (_354)
    {
        int _359 = _240 >> 4;
        if (_359 < _236)
        {
            int _372 = (_359 * 32) + (_240 & 15);
            int _382 = _372 + 16;
            int _1004 = as_type<int>(parts[_372]);
            int _1020 = as_type<int>(parts[_382]);
            parts[_372] = ((((_1004 & 2147483647) > 2139095040) ? 2147483647 : (_1004 ^ ((_1004 >> 31) & 2147483647))) > (((_1020 & 2147483647) > 2139095040) ? 2147483647 : (_1020 ^ ((_1020 >> 31) & 2147483647)))) ? parts[_372] : parts[_382];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _395 = _240 < 32;
    if (_395)
    {
        int _400 = _240 >> 3;
        if (_400 < _236)
        {
            int _412 = (_400 * 32) + (_240 & 7);
            int _422 = _412 + 8;
            int _1048 = as_type<int>(parts[_412]);
            int _1064 = as_type<int>(parts[_422]);
            parts[_412] = ((((_1048 & 2147483647) > 2139095040) ? 2147483647 : (_1048 ^ ((_1048 >> 31) & 2147483647))) > (((_1064 & 2147483647) > 2139095040) ? 2147483647 : (_1064 ^ ((_1064 >> 31) & 2147483647)))) ? parts[_412] : parts[_422];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _435 = _240 < 16;
    if (_435)
    {
        int _440 = _240 >> 2;
        if (_440 < _236)
        {
            int _452 = (_440 * 32) + (_240 & 3);
            int _461 = _452 + 4;
            int _1092 = as_type<int>(parts[_452]);
            int _1108 = as_type<int>(parts[_461]);
            parts[_452] = ((((_1092 & 2147483647) > 2139095040) ? 2147483647 : (_1092 ^ ((_1092 >> 31) & 2147483647))) > (((_1108 & 2147483647) > 2139095040) ? 2147483647 : (_1108 ^ ((_1108 >> 31) & 2147483647)))) ? parts[_452] : parts[_461];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _474 = _240 < 8;
    if (_474)
    {
        int _479 = _240 >> 1;
        if (_479 < _236)
        {
            int _491 = (_479 * 32) + (_240 & 1);
            int _500 = _491 + 2;
            int _1136 = as_type<int>(parts[_491]);
            int _1152 = as_type<int>(parts[_500]);
            parts[_491] = ((((_1136 & 2147483647) > 2139095040) ? 2147483647 : (_1136 ^ ((_1136 >> 31) & 2147483647))) > (((_1152 & 2147483647) > 2139095040) ? 2147483647 : (_1152 ^ ((_1152 >> 31) & 2147483647)))) ? parts[_491] : parts[_500];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool _513 = _240 < 4;
    if (_513)
    {
        if (_240 < _236)
        {
            int _524 = _240 * 32;
            int _532 = _524 + 1;
            int _1180 = as_type<int>(parts[_524]);
            int _1196 = as_type<int>(parts[_532]);
            parts[_524] = ((((_1180 & 2147483647) > 2139095040) ? 2147483647 : (_1180 ^ ((_1180 >> 31) & 2147483647))) > (((_1196 & 2147483647) > 2139095040) ? 2147483647 : (_1196 ^ ((_1196 >> 31) & 2147483647)))) ? parts[_524] : parts[_532];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int _1658 = _240; _1658 < _236; )
    {
        int _555 = _1658 * 32;
        int _1224 = as_type<int>(Largest_rows[_1658]);
        int _1240 = as_type<int>(parts[_555]);
        Largest_rows[_1658] = ((((_1224 & 2147483647) > 2139095040) ? 2147483647 : (_1224 ^ ((_1224 >> 31) & 2147483647))) > (((_1240 & 2147483647) > 2139095040) ? 2147483647 : (_1240 ^ ((_1240 >> 31) & 2147483647)))) ? Largest_rows[_1658] : parts[_555];
        _1658 += 128;
        continue;
    }
    for (int _1659 = _240; _1659 < _236; )
    {
        Total_rows[_1659] = 0.0;
        _1659 += 128;
        continue;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_273)
    {
        int _603 = -(((-_220.N) + _270) >> 5);
        int _608 = (_266 * 32) + _270;
        parts1[_608] = -0.0;
        float _1661;
        _1661 = parts1[_608];
        for (int _1660 = 0; _1660 < _603; )
        {
            float _647 = spvFSub(_315.X[((_220.X_offset + ((_228 + _266) * _220.X_stride_0)) + _270) + (_1660 * 32)], Largest_rows[_266]);
            float _1258 = (_647 > 89.0) ? 89.0 : _647;
            float _1262 = (_1258 < (-104.0)) ? (-104.0) : _1258;
            float _1320 = spvFAdd(spvFMul(_1262, 1.44269502162933349609375), 12582912.0);
            float _1288 = spvFSub(_1320, 12582912.0);
            float _1334 = spvFAdd(spvFMul(_1288, -1.4286067653301870450377464294434e-06), spvFAdd(spvFMul(_1288, -0.693145751953125), _1262));
            uint _1439 = as_type<uint>(_1320) - 1262485250u;
            uint _1441 = _1439 >> uint(1);
            _1661 = spvFAdd(_1661, spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(spvFMul(spvFMul(_1334, _1334), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(0.001395060331560671329498291015625, _1334), 0.008368953131139278411865234375), _1334), 0.0416662059724330902099609375), _1334), 0.16666518151760101318359375), _1334), 0.5)), _1334)), as_type<float>(_1441 << uint(23))), as_type<float>((_1439 - _1441) << uint(23))));
            _1660++;
            continue;
        }
        parts1[_608] = _1661;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_354)
    {
        int _668 = _240 >> 4;
        if (_668 < _236)
        {
            int _680 = (_668 * 32) + (_240 & 15);
            parts1[_680] = spvFAdd(parts1[_680], parts1[_680 + 16]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_395)
    {
        int _705 = _240 >> 3;
        if (_705 < _236)
        {
            int _717 = (_705 * 32) + (_240 & 7);
            parts1[_717] = spvFAdd(parts1[_717], parts1[_717 + 8]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_435)
    {
        int _742 = _240 >> 2;
        if (_742 < _236)
        {
            int _754 = (_742 * 32) + (_240 & 3);
            parts1[_754] = spvFAdd(parts1[_754], parts1[_754 + 4]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_474)
    {
        int _779 = _240 >> 1;
        if (_779 < _236)
        {
            int _791 = (_779 * 32) + (_240 & 1);
            parts1[_791] = spvFAdd(parts1[_791], parts1[_791 + 2]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_513)
    {
        if (_240 < _236)
        {
            int _822 = _240 * 32;
            parts1[_822] = spvFAdd(parts1[_822], parts1[_822 + 1]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int _1662 = _240; _1662 < _236; )
    {
        Total_rows[_1662] = spvFAdd(Total_rows[_1662], parts1[_1662 * 32]);
        _1662 += 128;
        continue;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (_273)
    {
        int _880 = -(((-_220.N) + _270) >> 5);
        for (int _1663 = 0; _1663 < _880; )
        {
            int _898 = _228 + _266;
            int _905 = _1663 * 32;
            float _931 = spvFSub(_315.X[((_220.X_offset + (_898 * _220.X_stride_0)) + _270) + _905], Largest_rows[_266]);
            float _1460 = (_931 > 89.0) ? 89.0 : _931;
            float _1464 = (_1460 < (-104.0)) ? (-104.0) : _1460;
            float _1522 = spvFAdd(spvFMul(_1464, 1.44269502162933349609375), 12582912.0);
            float _1490 = spvFSub(_1522, 12582912.0);
            float _1536 = spvFAdd(spvFMul(_1490, -1.4286067653301870450377464294434e-06), spvFAdd(spvFMul(_1490, -0.693145751953125), _1464));
            uint _1641 = as_type<uint>(_1522) - 1262485250u;
            uint _1643 = _1641 >> uint(1);
            _893.Y[(_220.Y_offset + (_898 * _220.Y_stride_0)) + ((_270 + _905) * _220.Y_stride_1)] = spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(spvFMul(spvFMul(_1536, _1536), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(0.001395060331560671329498291015625, _1536), 0.008368953131139278411865234375), _1536), 0.0416662059724330902099609375), _1536), 0.16666518151760101318359375), _1536), 0.5)), _1536)), as_type<float>(_1643 << uint(23))), as_type<float>((_1641 - _1643) << uint(23))) / Total_rows[_266];
            _1663++;
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

constant uint _225_tmp [[function_constant(0)]];
constant uint _225 = is_function_constant_defined(_225_tmp) ? _225_tmp : 128u;
constant uint3 gl_WorkGroupSize [[maybe_unused]] = uint3(_225, 1u, 1u);

struct X_block
{
    float X[1];
};

struct Y_block
{
    float Y[1];
};

kernel void main0(const device X_block& _258 [[buffer(0)]], device Y_block& _334 [[buffer(1)]], constant Push& _220 [[buffer(2)]], uint3 gl_GlobalInvocationID [[thread_position_in_grid]])
{
    int _231 = int(gl_GlobalInvocationID.x + (_220.base_x * gl_WorkGroupSize.x));
    if (_231 < _220.M)
    {
        float _822;
        _822 = as_type<float>(0xff800000u /* -inf */);
        for (int _821 = 0; _821 < _220.N; )
        {
            int _273 = (_220.X_offset + (_231 * _220.X_stride_0)) + (_821 * _220.X_stride_1);
            int _390 = as_type<int>(_822);
            int _406 = as_type<int>(_258.X[_273]);
            _822 = ((((_390 & 2147483647) > 2139095040) ? 2147483647 : (_390 ^ ((_390 >> 31) & 2147483647))) > (((_406 & 2147483647) > 2139095040) ? 2147483647 : (_406 ^ ((_406 >> 31) & 2147483647)))) ? _822 : _258.X[_273];
            _821++;
            continue;
        }
        float _824;
        _824 = 0.0;
        for (int _823 = 0; _823 < _220.N; )
        {
            float _314 = spvFSub(_258.X[(_220.X_offset + (_231 * _220.X_stride_0)) + (_823 * _220.X_stride_1)], _822);
            float _424 = (_314 > 89.0) ? 89.0 : _314;
            float _428 = (_424 < (-104.0)) ? (-104.0) : _424;
            float _486 = spvFAdd(spvFMul(_428, 1.44269502162933349609375), 12582912.0);
            float _454 = spvFSub(_486, 12582912.0);
            float _500 = spvFAdd(spvFMul(_454, -1.4286067653301870450377464294434e-06), spvFAdd(spvFMul(_454, -0.693145751953125), _428));
            uint _605 = as_type<uint>(_486) - 1262485250u;
            uint _607 = _605 >> uint(1);
            _824 = spvFAdd(_824, spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(spvFMul(spvFMul(_500, _500), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(0.001395060331560671329498291015625, _500), 0.008368953131139278411865234375), _500), 0.0416662059724330902099609375), _500), 0.16666518151760101318359375), _500), 0.5)), _500)), as_type<float>(_607 << uint(23))), as_type<float>((_605 - _607) << uint(23))));
            _823++;
            continue;
        }
        for (int _825 = 0; _825 < _220.N; )
        {
            float _365 = spvFSub(_258.X[(_220.X_offset + (_231 * _220.X_stride_0)) + (_825 * _220.X_stride_1)], _822);
            float _626 = (_365 > 89.0) ? 89.0 : _365;
            float _630 = (_626 < (-104.0)) ? (-104.0) : _626;
            float _688 = spvFAdd(spvFMul(_630, 1.44269502162933349609375), 12582912.0);
            float _656 = spvFSub(_688, 12582912.0);
            float _702 = spvFAdd(spvFMul(_656, -1.4286067653301870450377464294434e-06), spvFAdd(spvFMul(_656, -0.693145751953125), _630));
            uint _807 = as_type<uint>(_688) - 1262485250u;
            uint _809 = _807 >> uint(1);
            _334.Y[(_220.Y_offset + (_231 * _220.Y_stride_0)) + (_825 * _220.Y_stride_1)] = spvFMul(spvFMul(spvFAdd(1.0, spvFAdd(spvFMul(spvFMul(_702, _702), spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(spvFAdd(spvFMul(0.001395060331560671329498291015625, _702), 0.008368953131139278411865234375), _702), 0.0416662059724330902099609375), _702), 0.16666518151760101318359375), _702), 0.5)), _702)), as_type<float>(_809 << uint(23))), as_type<float>((_807 - _809) << uint(23))) / _824;
            _825++;
            continue;
        }
    }
}

